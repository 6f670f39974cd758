// Tells whether a column of a model can feed a field of the batch (D-102). Pure: it judges types only. A value that does not
// fit, such as 1.5 for an Integer, fails its row when it is read.
import type { Column, ColumnType } from '../../warehouse/index.ts';

/** A field of the batch as columns feed it; `Destination` of the room `events` is one. */
export interface FedField {
  readonly path: readonly string[];
  readonly leaf: {
    readonly kind: 'String' | 'string' | 'Integer' | 'Number' | 'Boolean' | 'Uuid' | 'Ip';
    /** The only texts that pass. */
    readonly allowed?: readonly string[];
    /** Lists of such values: never; `either` a list or a single value; or always. */
    readonly list: 'never' | 'either' | 'always';
    /** An Integer that may also come as its decimal digits in text. */
    readonly digits?: true;
  };
  /** Positions in `path` of steps that hold a list of objects; the one event of the row, at 0, is none. */
  readonly lists?: readonly number[];
}

const NUMBERS: readonly ColumnType[] = ['integer', 'decimal', 'double'];
const TIMES: readonly ColumnType[] = ['date', 'timestamp', 'timestamp_tz'];
/** Types with one plain spelling as text. */
const TEXTS: readonly ColumnType[] = ['text', 'uuid', 'time', 'binary', ...TIMES];
/** Types that do not determine what a cell holds, so that each row is judged by itself. */
const OPAQUE: readonly ColumnType[] = ['json', 'unknown'];

/**
 * Returns why the column cannot feed the field, as a sentence without its end. Returns undefined where it can.
 * The mapper writes a cell as follows:
 * - `String`: a boolean or number as it is (a decimal with all its digits), everything else as `string`.
 * - `string`: text as it is, numbers and booleans as their text, dates and times in ISO 8601, binary in base64. Where only some
 *   texts are allowed, the column must be text.
 * - `Integer`: whole numbers. Where the field counts milliseconds since 1970 (its name ends in `_unixtime_ms` or `_time_ms`),
 *   also dates and timestamps; those without a zone use the zone of the iterator, else UTC.
 * - A list: each item as above, in a field that takes lists or in the objects of a list (`products`), one for each item.
 * - JSON: by its contents.
 */
export function columnMisfit(column: Column, { path, leaf, lists = [] }: FedField): string | undefined {
  const { type } = column;
  if (OPAQUE.includes(type)) return undefined;
  if (type === 'list') return listMisfit(column, { path, leaf, lists });
  if (leaf.list === 'always') return `is of type ${column.nativeType}, but the field needs a list`;
  const wanted = wantedTypes({ path, leaf });
  if (wanted.includes(type)) return undefined;
  return `is of type ${column.nativeType}, but the field needs ${FIELD_WORDS[leaf.kind]}`;
}

function listMisfit({ item, nativeType }: Column, { path, leaf, lists }: Required<FedField>): string | undefined {
  const [objects, ...inner] = lists.filter((step) => step > 0);
  if (objects === undefined && leaf.list === 'never') return `is a list (${nativeType}), but the field needs one value`;
  if (item === undefined) return undefined;
  return objects === undefined
    ? columnMisfit(item, { path, leaf: { ...leaf, list: 'never' } })
    : columnMisfit(item, { path, leaf, lists: inner });
}

function wantedTypes({ path, leaf }: FedField): readonly ColumnType[] {
  switch (leaf.kind) {
    case 'String':
      return [...TEXTS, ...NUMBERS, 'boolean'];
    case 'string':
      return leaf.allowed === undefined ? [...TEXTS, ...NUMBERS, 'boolean'] : ['text'];
    case 'Integer':
      return [...NUMBERS, ...(countsMilliseconds(path) ? TIMES : []), ...(leaf.digits ? (['text'] as const) : [])];
    case 'Number':
      return NUMBERS;
    case 'Boolean':
      return ['boolean'];
    case 'Uuid':
      return ['uuid', 'text'];
    case 'Ip':
      return ['text'];
  }
}

/**
 * Tells whether a field counts milliseconds since 1970: those that end in `_unixtime_ms`, and `added_to_cart_time_ms`.
 */
export function countsMilliseconds(path: readonly string[]): boolean {
  return /_(?:unix)?time_ms$/.test(path.at(-1) ?? '');
}

const FIELD_WORDS: Readonly<Record<FedField['leaf']['kind'], string>> = {
  String: 'one value',
  string: 'text',
  Integer: 'a whole number',
  Number: 'a number',
  Boolean: 'true or false',
  Uuid: 'a UUID',
  Ip: 'an IP address',
};
