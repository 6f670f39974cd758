import { describe, expect, it } from 'vitest';
import { checkModel } from '../../../src/warehouse/sql/check-model.ts';
import { findRefused, place } from '../../../src/warehouse/sql/find-refused.ts';
import { GRAMMARS, loadParser } from '../../../src/warehouse/sql/parser.ts';

const said = async (sql: string, grammar: string) => {
  const check = await checkModel(sql, { grammar });
  return check.outcome === 'refused' ? check.complaint.message : check.outcome;
};
const ONLY_READS = 'is not allowed; a model is a single SELECT that only reads.';

/** By the construct that the message names. */
const STATEMENTS: readonly (readonly [construct: string, statement: string])[] = [
  ['INSERT', 'insert into t values (1)'],
  ['INSERT', 'insert all into t values (1) select 1'],
  ['INSERT', 'insert first when a > 1 then into t select 1'],
  ['UPDATE', 'update t set a = 1'],
  ['DELETE', 'delete from t'],
  ['MERGE', 'merge into t using s on t.a = s.a when matched then delete'],
  ['COPY', "copy t to 'x'"],
  ['LOAD DATA', "load data inpath 'x' into table t"],
  ['EXPORT', "export data options (uri = 'x') as select 1"],
  ['GRANT', 'grant select on t to u'],
  ['REVOKE', 'revoke select on t from u'],
  ['EXECUTE', 'execute x'],
  ['DECLARE', 'declare x int64 default 1'],
  ['SET', 'set a = 1'],
  ['USE', 'use t'],
  ['KILL', 'kill 1'],
  ['ATTACH', "attach 'x'"],
  ['DETACH', 'detach x'],
  ['INSTALL', 'install x'],
  ['TRANSACTION', 'start transaction'],
  ['COMMIT', 'commit'],
  ['ROLLBACK', 'rollback'],
  ['PRAGMA', 'pragma x'],
  ['SUMMARIZE', 'summarize t'],
  ['REFRESH', 'refresh table t'],
  ['ANALYZE', 'analyze t'],
  ['CACHE', 'cache table t'],
  ['UNCACHE', 'uncache table t'],
  ['PREPARE', 'prepare x as select 1'],
  ['COMMENT', "comment on table t is 'x'"],
  ['CREATE TABLE', 'create table t as select 1'],
  ['CREATE VIEW', 'create view v as select 1'],
  ['CREATE FUNCTION', "create function f() returns int as 'x'"],
  ['DROP TABLE', 'drop table t'],
  ['DROP SCHEMA', 'drop schema s'],
  ['ALTER TABLE', 'alter table t add column a int'],
  ['ALTER SESSION', 'alter session set a = 1'],
  ['TRUNCATE', 'truncate table t'],
  ['NEXT VALUE FOR', 'select next value for s'],
];

describe('statements that do more than read', () => {
  it.each(STATEMENTS)(
    '%s is refused by name and place, alone and as a CTE, in every grammar: %s',
    async (construct, sql) => {
      const [word = ''] = construct.split(' ');
      // the parser calls both the beginning of a transaction
      const at =
        construct === 'TRANSACTION' ? 'start transaction'.indexOf('transaction') : sql.toUpperCase().indexOf(word);
      const alone = `Line 1, column ${at + 1}: ${construct} ${ONLY_READS}`;
      const inside = `Line 2, column ${at + 2}: ${construct} ${ONLY_READS}`;
      for (const grammar of GRAMMARS) {
        expect(await said(sql, grammar)).toBe(alone);
        expect(await said(`with a as (\n (${sql})) select * from a`.replace(`(${sql})`, sql), grammar)).toBe(inside);
      }
    },
  );

  it.each([
    ['PUT', 'put file:///x @s', 'snowflake'],
    ['UNDROP', 'undrop table t', 'snowflake'],
  ])('%s is refused where the grammar knows it: %s', async (construct, sql, grammar) => {
    expect(await said(sql, grammar)).toBe(`Line 1, column 1: ${construct} ${ONLY_READS}`);
    expect(await said(`with a as (${sql}) select * from a`, grammar)).toBe(
      `Line 1, column 12: ${construct} ${ONLY_READS}`,
    );
  });

  it.each([
    ['CALL', 'call f()'],
    ['LOCK', 'lock table t'],
    ['VACUUM', 'vacuum t'],
    ['EXPLAIN', 'explain select 1'],
    ['DESC', 'desc t'],
    ['SHOW', 'show tables'],
    ['LISTEN', 'listen x'],
    ['TABLE', 'table t'],
    ['VALUES', 'values (1)'],
    ['CHECKPOINT', 'checkpoint'],
    ['PIVOT', 'pivot t on a'],
  ])(
    '%s, of which the grammars have no statement of their own, is named by its first word: %s',
    async (construct, sql) => {
      for (const grammar of GRAMMARS) {
        const message = await said(sql, grammar);
        expect(message).toBe(`Line 1, column 1: ${construct} ${ONLY_READS}`);
      }
    },
  );

  it.each([
    ['DELETE', 22, 'with a as (select 1) delete from t'],
    ['UPDATE', 22, 'with a as (select 1) update t set a = 1'],
    ['MERGE', 22, 'with a as (select 1) merge into t using a on true when matched then delete'],
    ['INTO', 10, 'select a into b from t'],
    ['INTO', 28, 'select * from (select a, 1 into b from t) x'],
    ['FOR UPDATE', 17, 'select * from t for update'],
    ['FOR UPDATE', 17, 'select * from t for update of t skip locked'],
    ['FOR SHARE', 17, 'select * from t for share'],
    ['FOR SHARE', 17, 'select * from t for key share'],
    ['FOR UPDATE', 55, "select 'for update', substring(a from 1 for 2) from t for update"],
    ['FOR UPDATE', 46, 'select "for", "update" from (select a from t for update) x'],
    ['FOR UPDATE', 48, 'select a from t union (select "FOR" "x" from u for update)'],
    ['DESCRIBE', 16, 'select * from (describe t)'],
  ])('%s at column %i is refused in every grammar: %s', async (construct, column, sql) => {
    for (const grammar of ['duckdb', 'snowflake', 'postgresql', 'redshift']) {
      expect(await said(sql, grammar)).toBe(`Line 1, column ${column}: ${construct} ${ONLY_READS}`);
    }
  });

  it.each([
    'select * from t intersect select * from u',
    '((select 1) union (select 2))',
    'select into_x, "into", insert_x, locks from updates as "delete"',
    'select a from t for_update',
  ])('%s is none of them', async (sql) => {
    for (const grammar of ['duckdb', 'snowflake', 'postgresql', 'redshift'])
      expect(await said(sql, grammar)).toBe('accepted');
  });
});

describe('a tree that no text gave yet', () => {
  it.each([
    [undefined],
    [{}],
    ['values'],
    [{ subquery: {} }],
    [{ subquery: { this: { values: {} } } }],
    [[{ select: {} }]],
  ])('is refused when it is no query: %j', async (tree) => {
    const parser = await loadParser();
    expect(findRefused(tree, parser.tokens(' x', 'duckdb') ?? [])).toEqual({ construct: 'X', offset: 1 });
    expect(findRefused(tree, [])).toEqual({ construct: 'an empty text', offset: 0 });
  });

  it('places a construct at its words, else at its first, else at the beginning', async () => {
    const parser = await loadParser();
    const at = (construct: string, sql: string) => place(construct, parser.tokens(sql, 'duckdb') ?? []);
    expect(at('FOR UPDATE', " 'for' for x FOR Update for update")).toBe(13);
    expect(at('FOR UPDATE', ' \'for\' "for" x for')).toBe(15);
    expect(at('FOR UPDATE', ' a b')).toBe(1);
    expect(at('INTO', ' "into" into into')).toBe(8);
    expect(at('INTO', '')).toBe(0);
  });
});
