// Types without a number of their own: enums, arrays, composites, domains and those of extensions.
import { arrayReader, compositeReader } from './nested.ts';
import type { RawRow } from './sdk.ts';
import { BUILT_IN, type Shape } from './types.ts';

/** A query function, which returns the rows of one statement as the server wrote them. */
export type Ask = (sql: string) => Promise<readonly RawRow[]>;

interface CatalogType {
  readonly kind: string;
  readonly category: string;
  readonly name: string;
  readonly delimiter: string;
  /** Type of an array's items. */
  readonly item: number;
  /** Base type of a domain. */
  readonly base: number;
  readonly attributes: readonly { readonly name: string; readonly type: number }[];
}

/**
 * Looks up the shapes of these types and of their parts.
 * Runs one statement for each level of nesting, and none for built-in types.
 */
export async function lookUpShapes(ask: Ask, types: readonly number[]): Promise<(type: number) => Shape> {
  const known = new Map<number, CatalogType>();
  let wanted = types.filter(isWanted);
  while (wanted.length > 0) {
    const found = await readTypes(ask, [...new Set(wanted)]);
    for (const [type, entry] of found) known.set(type, entry);
    wanted = [...found.values()]
      .flatMap(({ item, base, attributes }) => [item, base, ...attributes.map(({ type }) => type)])
      .filter(isWanted);
  }
  return (type) => shapeOf(type, known);

  function isWanted(type: number): boolean {
    return type !== 0 && BUILT_IN[type] === undefined && !known.has(type);
  }
}

async function readTypes(ask: Ask, types: readonly number[]): Promise<Map<number, CatalogType>> {
  const rows = await ask(typesSql(types));
  const relations = rows.map(([, , , , , , , relation]) => Number(relation)).filter((relation) => relation !== 0);
  const attributes = relations.length === 0 ? [] : await ask(attributesSql(relations));
  return new Map(
    rows.map(([type, kind, category, name, delimiter, item, base, relation]) => [
      Number(type),
      {
        kind: kind ?? '',
        category: category ?? '',
        name: name ?? '',
        delimiter: delimiter ?? ',',
        item: Number(item),
        base: Number(base),
        attributes: attributes
          .filter(([owner]) => owner === relation)
          .map(([, attribute, of]) => ({ name: attribute ?? '', type: Number(of) })),
      },
    ]),
  );
}

/** Selects types by their numbers. The numbers come from the server, so they are written into the text. */
export function typesSql(types: readonly number[]): string {
  return `SELECT t.oid, t.typtype, t.typcategory, pg_catalog.format_type(t.oid, NULL), t.typdelim, t.typelem,
    t.typbasetype, CASE WHEN t.typtype = 'c' THEN t.typrelid ELSE 0 END
    FROM pg_catalog.pg_type AS t WHERE t.oid IN (${types.map(Number).join(', ')})`;
}

export function attributesSql(relations: readonly number[]): string {
  return `SELECT a.attrelid, a.attname, a.atttypid FROM pg_catalog.pg_attribute AS a
    WHERE a.attrelid IN (${relations.map(Number).join(', ')}) AND a.attnum > 0 AND NOT a.attisdropped
    ORDER BY a.attrelid, a.attnum`;
}

/** int2vector and oidvector: the catalog calls them arrays, but they write their items with spaces between. */
const VECTORS = new Set([22, 30]);

/** Types of pgvector and PostGIS, whose texts are exact and documented in TYPES.md. */
const EXACT_TEXTS = new Set(['vector', 'halfvec', 'sparsevec', 'geometry', 'geography']);

/** Returns the name without its schema, which the server writes where the schema is not in the search path. */
function unqualified(name: string): string {
  return name.slice(name.lastIndexOf('.') + 1);
}

function shapeOf(type: number, known: ReadonlyMap<number, CatalogType>): Shape {
  const builtIn = BUILT_IN[type];
  if (builtIn !== undefined) return builtIn;
  const entry = known.get(type);
  if (entry === undefined) return { type: 'unknown', nativeType: `type ${type}` };
  const { kind, category, name, delimiter, item, base, attributes } = entry;
  if (kind === 'd') return { ...shapeOf(base, known), nativeType: name };
  if (category === 'A' && item !== 0 && !VECTORS.has(type)) {
    const inner = shapeOf(item, known);
    return { type: 'list', nativeType: name, item: inner, read: arrayReader(reading(inner), delimiter) };
  }
  if (kind === 'c') {
    const fields = attributes.map((field) => ({ name: field.name, read: reading(shapeOf(field.type, known)) }));
    return { type: 'struct', nativeType: name, read: compositeReader(fields) };
  }
  // enums, ranges and multiranges, and extension types of the string category, such as citext
  if ('erm'.includes(kind) || category === 'S' || EXACT_TEXTS.has(unqualified(name))) {
    return { type: 'text', nativeType: name };
  }
  return { type: 'unknown', nativeType: name };
}

function reading({ read }: Shape) {
  return read ?? ((text: string) => text);
}
