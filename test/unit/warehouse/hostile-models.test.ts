import fc from 'fast-check';
import { parse } from 'libpg-query';
import { describe, expect, it } from 'vitest';
import { checkByGrammar, checkModel } from '../../../src/warehouse/sql/check-model.ts';
import { GRAMMARS, loadParser } from '../../../src/warehouse/sql/parser.ts';

const said = async (sql: string, grammar: string) => {
  const check = await checkModel(sql, { grammar });
  return check.outcome === 'refused' ? `${check.complaint.kind}: ${check.complaint.message}` : check.outcome;
};
const ONLY_READS = 'is not allowed; a model is a single SELECT that only reads.';
/** More than the parser follows, so that only the words of the text are judged. */
const DEEP = `${'('.repeat(100)}1${')'.repeat(100)}`;

const GLUED =
  'A comment directly after an operator is not allowed, because products parse it differently; put a space before it.';
const NESTED =
  'A nested comment is not allowed here, because products end it at different places; remove the inner /*.';
const RETURN =
  'A carriage return within a comment is not allowed, because products parse it differently; end lines with a line feed.';
const CONTINUED =
  'A backslash at the end of a comment is not allowed, because Databricks reads the next line as a comment too; remove it.';

describe('comments that the product may read otherwise than the parser', () => {
  it.each([
    ['all', 'select 1 -- a\r, f(1) --\n from t', 10, RETURN],
    ['all', 'select 1,\t--\r\r\n 2', 11, RETURN],
    ['all', 'select 1 -- a\rb', 10, RETURN],
    ['all', 'select 1 -- \r\u2028, f(1)\n, 2', 10, RETURN],
    ['all', '-- a\rdrop table t\nselect 1', 1, RETURN],
    ['bigquery', 'select 1 # a\r, f(1)\n, 2', 10, RETURN],
    ['snowflake', 'select 1 // a\r, f(1)\n, 2', 10, RETURN],
    ['databricks', 'select 1 -- \\\n/*\n, f(1) --*/\n', 10, CONTINUED],
    ['databricks', 'select 1 -- \\\r\n/*\r\n, f(1) --*/\r\n', 10, CONTINUED],
    ['databricks', 'select 1 /* /*+ */ , f(1) -- */\n from t', 10, NESTED],
    ['bigquery', 'select 1 /* /* */ , f(1) -- */\n from t', 10, NESTED],
    ['bigquery', 'select 1 /* a */ , 2 /* b\n/* */ , 3', 22, NESTED],
    ['all', "select /*+ /* */ ' */ f(1), /* ' -- */ 1", 8, NESTED],
    ['postgresql', "select 1 #-- '\n 2, f(1) -- '\n", 11, GLUED],
    ['all', "select 'a' ||/* ' */ 'b', f(1) /* ' */", 14, GLUED],
  ])('are refused in %s: %j', async (...[grammar, sql, column, message]) => {
    for (const each of grammar === 'all' ? GRAMMARS : [grammar]) {
      expect(await said(sql, each)).toBe(`construct: Line 1, column ${column}: ${message}`);
    }
  });

  it.each([
    ['all', 'select 1 -- a\r\n, 2 /* a\rb */ from t -- b\r\n'],
    ['all', 'select 1 -- a\r'],
    ['all', "select '-- \r', 1 -/* a */ 2 - -1 from t"],
    ['all', 'select /*+ a */ 1 /* a */ /* b */ -- /* c\n, 2'],
    ['duckdb', 'select 1 -- \\\n, 2'],
    ['databricks', 'select 1 -- \\ a\n, 2 /* a \\\n */'],
    ['databricks', 'select 1 /* a /* b */ */, 2 /* + */'],
    ['postgresql', 'select 1 /* a /*+ b */ */, 2'],
  ])('are let through in %s where all read them alike: %j', async (grammar, sql) => {
    for (const each of grammar === 'all' ? GRAMMARS : [grammar]) expect(await said(sql, each)).toBe('accepted');
  });
});

describe('models that reach further than they look', () => {
  it.each([
    ['postgresql', 'select U&"!006co_create" UESCAPE \'!\' (0)', 8, 'A name that is written with escapes (U&"…")'],
    ['redshift', 'select a, u&"x" from t', 11, 'A name that is written with escapes (U&"…")'],
    ['postgresql', 'select * from t, dblink(c, s) as (values int)', 18, 'DBLINK'],
    ['postgresql', 'select * from t, dblink(c, s) as ("select" int)', 18, 'DBLINK'],
    ['postgresql', 'with dblink (a) as (select 1) select * from dblink', 6, 'DBLINK'],
    ['postgresql', "select ts_rewrite('a'::tsquery, 'select lo_create(0)')", 8, 'TS_REWRITE'],
    ['postgresql', "select run_command_on_workers('drop table t')", 8, 'RUN_COMMAND_ON_WORKERS'],
    ['postgresql', 'select/**/"LO_create"--\n(0)', 11, 'LO_CREATE'],
    ['snowflake', "select identifier('system$cancel_all_queries')(1)", 8, 'A call by IDENTIFIER(…)'],
    ['databricks', "select IDENTIFIER('java_' || lower('METHOD'))('a', 'b')", 8, 'A call by IDENTIFIER(…)'],
    ['snowflake', 'select 1 ->> drop table t', 10, '->>'],
    ['snowflake', 'select "SYSTEM$Wait" (1)', 8, 'SYSTEM$WAIT'],
    ['databricks', "select transform(a) using 'curl x' as (b) from t", 21, 'USING with a program'],
    ['databricks', 'select transform(a) Using "curl x" from t', 21, 'USING with a program'],
    ['databricks', "from t map a using r'cat' as b", 14, 'USING with a program'],
    ['databricks', 'select `ai_query`(1)', 8, 'AI_QUERY'],
    ['bigquery', 'select `external_query`(1)', 8, 'EXTERNAL_QUERY'],
  ])('are refused in %s, also where the parser gives up: %s', async (...[grammar, sql, column, construct]) => {
    expect(await said(sql, grammar)).toBe(`construct: Line 1, column ${column}: ${construct} ${ONLY_READS}`);
    const undecided = await said(`${sql}\n, ${DEEP}`, grammar);
    expect(undecided).toBe(`construct: Line 1, column ${column}: ${construct} ${ONLY_READS}`);
  });

  it.each([
    ['postgresql', 'select u & "x", a&"y" from t'],
    ['duckdb', 'select t.nextval from t'],
    ['snowflake', "select * from identifier('t') x"],
    ['snowflake', "select identifier('a'), (1) from t"],
    ['postgresql', "select a ->> 'b' from t"],
    ['snowflake', "select '->>', 'identifier' from t where a = '.nextval'"],
    ['databricks', 'select transform(a, x -> x + 1) from t join u using (a)'],
    ['databricks', "select date '2026-01-01', 'x' from t"],
    ['duckdb', 'select a from t using sample 10'],
    ['duckdb', 'select lo_create(0), dblink(1) from t'],
  ])('are let through in %s where they only look alike: %s', async (grammar, sql) => {
    expect(await said(sql, grammar)).toBe('accepted');
  });

  it.each([
    ['r', "'\\'' , f(1), ' --'", ['duckdb', 'snowflake', 'bigquery', 'postgresql', 'redshift']],
    ['R', '"\\"" , f(1), " --"', ['bigquery']],
  ])('read raw strings as their products do: %s%s', async (prefix, rest, grammars) => {
    for (const grammar of grammars) {
      const sql = `select ${prefix}${rest.replace('f(', 'nextval(')}`;
      expect(await said(sql, grammar)).toBe(`construct: Line 1, column 16: NEXTVAL ${ONLY_READS}`);
    }
  });
});

const BACKSLASH =
  "A backslash before a quote is not allowed beside a comment /* */ or a $, because PostgreSQL and Redshift read it differently; write '' for a quote, and chr(92) for a backslash at the end.";

describe('backslashes before quotes, which PostgreSQL and Redshift read differently', () => {
  it.each([
    ["select 'a\\'' , lo_create(1) --'", 16, `LO_CREATE ${ONLY_READS}`],
    ["select '\\\\\\'' , lo_create(1) --'", 17, `LO_CREATE ${ONLY_READS}`],
    ["select '\\'' , lo_create(1) --'", 15, `LO_CREATE ${ONLY_READS}`],
    ["select N'a\\'' , lo_create(1) --'", 17, `LO_CREATE ${ONLY_READS}`],
    ["select 'x', \"a'b\", 'a\\'' , lo_create(1) --'", 28, `LO_CREATE ${ONLY_READS}`],
    ["select -- '\n'a\\'' , lo_create(1) --'", undefined, `Line 2, column 9: LO_CREATE ${ONLY_READS}`],
    ["select 'a\n\\\n\\'' , lo_create(1) --'", undefined, `Line 3, column 7: LO_CREATE ${ONLY_READS}`],
    [
      "select 'a\\'' ; drop table t --'",
      14,
      'Several statements (a semicolon within the text) are not allowed; write a single SELECT.',
    ],
    ["select 'a\\' , 'b' /* ' */", 8, BACKSLASH],
    ["select 1, 'a\\'' , f(1), $$'$$ --'", 11, BACKSLASH],
  ])('refuse what either reads out of %j', async (sql, column, message) => {
    const place = column === undefined ? '' : `Line 1, column ${column}: `;
    for (const grammar of ['postgresql', 'redshift']) {
      expect(await said(sql, grammar)).toBe(`construct: ${place}${message}`);
    }
  });

  it.each([
    "select replace(x, '\\', ''), 'a' from t",
    "select '\\', '\\' from t",
    "select 'it''s \\', 1 from t",
    "select E'a\\'b', /* ' */ 1 from t",
    'select "a\\\'b", /* \' */ 1 from t',
    "select 'a\\b', /* a */ '$' from t",
    "select 'a' -- \\' /*\n, 'b'",
    "select 'a\\'' from t --'",
  ])('let %j through', async (sql) => {
    for (const grammar of ['postgresql', 'redshift']) expect(await said(sql, grammar)).toBe('accepted');
  });

  it('mean nothing to the other products', async () => {
    expect(await said("select 'a\\', 1 /* ' */, '$' from t", 'duckdb')).toBe('accepted');
    expect(await said("select 'a\\'' , lo_create(1) --'", 'duckdb')).toBe('accepted');
  });
});

const JUNK = fc
  .array(
    fc.constantFrom(
      ...[
        "'",
        '"',
        '--',
        '/*',
        '*/',
        '+',
        '\r',
        '\n',
        '\\',
        '#',
        '$$',
        '$a$',
        'E',
        '-',
        '*',
        '|',
        ', lo_create(0)',
        ' ',
      ],
    ),
    { maxLength: 3 },
  )
  .map((parts) => parts.join(''));
const OPERATOR = fc.constantFrom('#', '||', '|', '+', '-', '*', '/', '@', '->', '<', '#-');
const PIECE = fc.oneof(
  fc.constant(', lo_create(0)'),
  fc.constant(', 1'),
  JUNK,
  OPERATOR.map((operator) => ` ${operator} 2`),
  fc.tuple(OPERATOR, JUNK).map((parts) => ` ${parts.join('')}`),
  ...[
    ['--', '\n'],
    ['/*', '*/'],
    ["'", "'"],
    ["E'", "'"],
    ["U&'", "'"],
    ['"', '"'],
    ['$$', '$$'],
    ['$a$', '$a$'],
  ].map(([open, close]) => JUNK.map((junk) => `${open === '--' || open === '/*' ? '' : ', '}${open}${junk}${close}`)),
);

describe('a text that the gate accepts', () => {
  it.each(['1', DEEP])(
    'is one SELECT without the call for the parser of PostgreSQL, too: select %.3s…',
    async (begin) => {
      const parser = await loadParser();
      const runs = begin === DEEP ? 30 : 3000;
      await fc.assert(
        fc.asyncProperty(fc.array(PIECE, { minLength: 1, maxLength: 5 }), async (pieces) => {
          const check = checkByGrammar(parser, `select ${begin}${pieces.join('')}`, 'postgresql');
          if (check.outcome === 'refused') return;
          const tree = await parse(check.sql).catch(() => undefined);
          if (tree === undefined) return;
          expect(tree.stmts).toEqual([{ stmt: { SelectStmt: expect.anything() } }]);
          expect(JSON.stringify(tree)).not.toMatch(/"funcname":\[[^\]]*lo_create/);
        }),
        { numRuns: runs },
      );
    },
  );
});
