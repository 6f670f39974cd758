// Finds clauses that the query rules of write-back forbid, and clauses that make one row of several.
import { place } from '../find-refused.ts';
import { type Finding, isSet, type WriteBackReading, wordsOf } from './read-model.ts';
import { ONE_SELECT } from './source-rules.ts';

const AGGREGATE_CLAUSES: readonly (readonly [string, string])[] = [
  ['distinct', 'DISTINCT'],
  ['distinct_on', 'DISTINCT'],
  ['group_by', 'GROUP BY'],
  ['having', 'HAVING'],
  ['qualify', 'QUALIFY'],
  ['windows', 'WINDOW'],
];

export function findAggregate({ projection, select, tokens }: WriteBackReading): Finding | undefined {
  const advice = 'each row of the table is resolved separately; select the columns.';
  const function_ = projection.find(({ kind }) => kind === 'aggregate');
  if (function_ !== undefined) {
    return { message: `The aggregate "${function_.text}" is not allowed; ${advice}`, offset: function_.offset };
  }
  const word = AGGREGATE_CLAUSES.find(([field]) => isSet(select[field]))?.[1];
  return word === undefined ? undefined : { message: `${word} is not allowed; ${advice}`, offset: place(word, tokens) };
}

/** Clauses that are allowed, and those that another rule speaks of. */
const OTHER_RULES: ReadonlySet<string> = new Set([
  'expressions',
  'from',
  'where_clause',
  'joins',
  'lateral_views',
  'with',
  'leading_comments',
  'hint',
  'span',
  ...AGGREGATE_CLAUSES.map(([field]) => field),
]);

export function findClause({ select, tokens }: WriteBackReading): Finding | undefined {
  const field = Object.keys(select).find((name) => !OTHER_RULES.has(name) && isSet(select[name]));
  if (field === undefined) return undefined;
  const word = CLAUSE_WORDS[field] ?? wordsOf(field);
  return { message: `${word} is not allowed; leave it out: ${ONE_SELECT}`, offset: place(word, tokens) };
}

const CLAUSE_WORDS: Readonly<Record<string, string>> = { connect: 'CONNECT BY', kind: 'AS' };
