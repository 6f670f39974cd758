// Computes the attributes of a group in SQL from those of its members (D-069). The weekly run and an erasure share this
// file, so that both give the same values.
import { attributeNames, attributeSql, keyText } from '../identity/index.ts';
import type { SqlValue } from '../store/index.ts';
import type { Aggregation, GroupAttribute, GroupDefinition } from './definition.ts';
import { inheritedName } from './inherited-name.ts';

/**
 * The most characters of a number, written as digits as in JSON or by a person. Up to 400 characters and an exponent
 * below 400 is more than a double has, and no sum leaves what the store's exact decimals hold.
 */
export const MOST_NUMBER_CHARACTERS = 400;
const NUMBER = '^[+-]?([0-9]+([.][0-9]*)?|[.][0-9]+)([eE][+-]?0*[1-3]?[0-9]{1,2})?$';
/** Decimals of an average beyond those of the sum: every division by 2, 4, 5, 8 and 10 is exact, the others are rounded. */
export const AVERAGE_DECIMALS = 18;

export interface AggregateSql {
  /** Columns over a profile `p`: what each attribute needs. */
  readonly columns: string;
  /** The group's JSON text, over the grouped columns of its members `v` and their `mpid`. */
  readonly text: string;
  /** Bound from `$first` on. */
  readonly values: readonly SqlValue[];
}

/** Builds the SQL of a definition's attributes. The statement's own parameters end before `first`. */
export function aggregateSql(definition: GroupDefinition, first: number): AggregateSql {
  const values: SqlValue[] = [];
  const bind = (value: string): string => `$${first + values.push(value) - 1}`;
  const columns = ['NULL AS nothing'];
  const fields: string[] = [];
  definition.attributes.forEach((attribute, index) => {
    const { own, aggregate } = PARTS[attribute.type]({ attribute, value: `v.v${index}`, time: `v.t${index}`, bind });
    columns.push(`${own.value} AS v${index}`);
    if (own.time !== undefined) columns.push(`${own.time} AS t${index}`);
    fields.push(`${bind(keyText(inheritedName(definition, attribute)))}::text || (${aggregate})`);
  });
  // NULL is left out: no member had a value
  const text = fields.length === 0 ? `'{}'` : `'{' || concat_ws(',', ${fields.join(', ')}) || '}'`;
  return { columns: columns.join(', '), text, values };
}

interface Part {
  readonly attribute: GroupAttribute;
  /** SQL of the attribute's value and time among the grouped columns. */
  readonly value: string;
  readonly time: string;
  readonly bind: (value: string) => string;
}

interface Parts {
  readonly own: { readonly value: string; readonly time?: string };
  readonly aggregate: string;
}

const PARTS: Readonly<Record<Aggregation, (part: Part) => Parts>> = {
  // the JSON as it is, of the member whose attribute was set last; of those of the lower MPID
  latest: ({ attribute, value, time, bind }) => {
    const { name, timesName } = attributeNames(attribute.id);
    const json = attributeSql.value('p', bind(name));
    return {
      own: { value: `nullif(${json}::text, 'null')`, time: attributeSql.setAt('p', bind(timesName)) },
      aggregate: `(array_agg(${value} ORDER BY ${time} DESC, mpid) FILTER (WHERE ${value} IS NOT NULL))[1]`,
    };
  },
  // True if any member's is true, otherwise false.
  boolean_or: (part) => ({
    own: ownText(part),
    aggregate: `CASE WHEN bool_or(${part.value} = 'true') THEN 'true' ELSE 'false' END`,
  }),
  sum: (part) => ({ own: ownText(part), aggregate: `trim_scale(sum(${numberOf(part)}))::text` }),
  average: (part) => {
    const number = numberOf(part);
    const scale = `scale(sum(${number})) + ${AVERAGE_DECIMALS}`;
    // the zero makes the division as fine as it is rounded to
    const quotient = `(sum(${number}) + round(0::numeric, ${scale})) / count(${number})`;
    return { own: ownText(part), aggregate: `trim_scale(round(${quotient}, ${scale}))::text` };
  },
};

function ownText({ attribute, bind }: Part): Parts['own'] {
  return { value: attributeSql.text('p', bind(attribute.id)) };
}

/**
 * Returns SQL of type numeric, null for a value that is no number. Only CASE fixes the order of evaluation, so that nothing but
 * a number is cast.
 */
function numberOf({ value }: Part): string {
  return `CASE WHEN length(${value}) <= ${MOST_NUMBER_CHARACTERS} AND ${value} ~ '${NUMBER}' THEN ${value}::numeric END`;
}
