// The query rules of write-back (docs/spec/warehouse-sync.md#query-rules), one entry each: what breaks the rule, where, and
// what to write instead. Pure. Clauses and sources that are not on the list of allowed ones are forbidden.
import { findAggregate, findClause } from './clause-rules.ts';
import {
  findAlias,
  findExpression,
  findNoIdentity,
  findNoMpid,
  findOtherName,
  findStar,
  findTwice,
} from './projection-rules.ts';
import type { Finding, WriteBackReading } from './read-model.ts';
import { findJoin, findOtherQuery, findOtherSource, findSubquery } from './source-rules.ts';
import { findComment, findQuotes, findSemicolon } from './text-rules.ts';

export type WriteBackRule =
  | 'comment'
  | 'semicolon'
  | 'quotes'
  | 'one_select'
  | 'join'
  | 'one_table'
  | 'subquery'
  | 'aggregate'
  | 'clause'
  | 'star'
  | 'expression'
  | 'alias'
  | 'reserved_name'
  | 'twice'
  | 'identity'
  | 'mpid';

interface Rule {
  readonly rule: WriteBackRule;
  readonly find: (model: WriteBackReading) => Finding | undefined;
}

export const WRITE_BACK_RULES: readonly Rule[] = [
  // The specification does not mention comments; a write-back model may have none (D-074).
  { rule: 'comment', find: findComment },
  { rule: 'semicolon', find: findSemicolon },
  { rule: 'quotes', find: findQuotes },
  { rule: 'one_select', find: findOtherQuery },
  { rule: 'join', find: findJoin },
  { rule: 'one_table', find: findOtherSource },
  { rule: 'subquery', find: findSubquery },
  { rule: 'aggregate', find: findAggregate },
  // The specification does not mention other clauses. Each of them hides rows that have the same key, or makes one row
  // of several.
  { rule: 'clause', find: findClause },
  { rule: 'star', find: findStar },
  { rule: 'expression', find: findExpression },
  { rule: 'alias', find: findAlias },
  { rule: 'reserved_name', find: findOtherName },
  { rule: 'twice', find: findTwice },
  { rule: 'identity', find: findNoIdentity },
  { rule: 'mpid', find: findNoMpid },
];
