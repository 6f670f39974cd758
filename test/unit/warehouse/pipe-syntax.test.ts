// Constructs of the products that the parser does not know: pipe syntax, WITH as an expression, a pattern behind a star.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { checkByGrammar, checkModel } from '../../../src/warehouse/sql/check-model.ts';
import { GRAMMARS, loadParser } from '../../../src/warehouse/sql/parser.ts';
import { checkWriteBackModel } from '../../../src/warehouse/sql/write-back/check-write-back.ts';

const said = async (sql: string, grammar: string) => {
  const check = await checkModel(sql, { grammar });
  return check.outcome === 'refused' ? check.complaint.message : check.outcome;
};
const ONLY_READS = 'is not allowed; a model is a single SELECT that only reads.';
/** More than the parser follows, so that only the words of the text are judged. */
const DEEP = `${'('.repeat(100)}1${')'.repeat(100)}`;
const OF_PIPES = ['bigquery', 'databricks'];

/** One operator each, as the products document them. */
const OPERATORS = [
  ...[
    'SELECT a, b',
    'SELECT DISTINCT a',
    'EXTEND a + 1 AS c, f(b)',
    'SET a = a + 1, b = upper(b)',
    'DROP a, t.b, date',
  ],
  ...[
    'RENAME a AS c, b d',
    'AS u',
    'WHERE a > 1 AND b IN (SELECT c FROM u)',
    'DISTINCT',
    'LIMIT 3',
    'LIMIT 3 OFFSET 2',
  ],
  ...['AGGREGATE', 'AGGREGATE count(*)', 'AGGREGATE sum(a) AS s, count(*) DESC GROUP BY b AS c, date DESC NULLS LAST'],
  ...[
    'AGGREGATE sum(a), GROUP AND ORDER BY b, c DESC',
    'AGGREGATE GROUP BY a, b',
    'AGGREGATE count(*) GROUP BY ROLLUP(a, b)',
  ],
  ...['AGGREGATE count(*) GROUP BY GROUPING SETS ((a), (a, b))', 'ORDER BY a DESC, b', 'JOIN u ON t.a = u.a'],
  ...[
    'LEFT OUTER JOIN (FROM u |> WHERE c) AS v USING (a)',
    'CROSS JOIN u',
    'UNION ALL (SELECT 1), (FROM u |> SELECT b)',
  ],
  ...['FULL OUTER UNION ALL BY NAME (SELECT 1)', 'EXCEPT DISTINCT (SELECT 1)', 'INTERSECT DISTINCT (SELECT 1)'],
  ...['UNION ALL SELECT 1', 'CALL project.f(1, 2) AS g', 'TABLESAMPLE SYSTEM (1 PERCENT)', 'WITH w AS (SELECT 1)'],
  ...['PIVOT (sum(a) FOR b IN (1, 2))', 'UNPIVOT (a FOR b IN (c, d)) AS x', 'WINDOW sum(a) OVER (PARTITION BY b) AS s'],
];

describe('pipe syntax', () => {
  it.each(OPERATORS.filter((each) => each !== 'AGGREGATE'))('is accepted with |> %s', async (operator) => {
    for (const grammar of OF_PIPES) {
      expect(await said(`FROM t\n|> ${operator}`, grammar)).toBe('accepted');
      expect(await said(`WITH x AS (FROM t |> ${operator}) SELECT * FROM x`, grammar)).toBe('accepted');
    }
  });

  it.each([
    'FROM a, b AS c JOIN d USING (e) |> WHERE f',
    'SELECT a FROM t WHERE b -- |> x\n |> WHERE a |> ORDER BY a;',
    'WITH a AS (SELECT 1 AS b) FROM a |> WHERE b',
    'SELECT 1 UNION ALL SELECT 2 |> LIMIT 1',
    '(FROM t |> WHERE a) |> DISTINCT',
    'TABLE t |> WHERE a',
  ])('may begin with any query: %s', async (sql) => {
    for (const grammar of OF_PIPES) expect(await said(sql, grammar)).toBe('accepted');
  });

  it('is sent as it was written', async () => {
    const sql = 'FROM t -- all\n|> AGGREGATE count(*) AS n GROUP BY a';
    expect(await checkModel(`${sql} ;`, { grammar: 'bigquery' })).toEqual({ outcome: 'accepted', sql, warnings: [] });
  });

  it.each([
    ...[
      'INSERT INTO u',
      'EXPORT DATA OPTIONS (uri = "x")',
      'CREATE TABLE u',
      'DELETE',
      'UPDATE',
      'MERGE INTO u',
      'FORK (a)',
    ],
    ...[
      'TEE (|> INSERT INTO u)',
      'ASSERT a',
      'LOG',
      'CALLS f()',
      'WHER a',
      'DROP TABLE u',
      '`WHERE` a',
      '(SELECT 1)',
      '',
    ],
  ])('is refused with the operator |> %s, which writes or is unknown', async (operator) => {
    for (const grammar of OF_PIPES) {
      for (const end of ['', '|> SELECT 1', `|> WHERE ${DEEP}`]) {
        const message = await said(`FROM t |> WHERE a |> ${operator} ${end}`, grammar);
        expect(message).toMatch(
          /^Line 1, column \d+: The pipe operator \|>.* is not allowed; a model is a single SELECT/,
        );
      }
    }
  });

  it.each([
    ['FROM t\n|> SELECT a INTO u', `Line 2, column 13: INTO ${ONLY_READS}`],
    ['FROM t |> UNION ALL (DELETE FROM u)', `Line 1, column 22: DELETE ${ONLY_READS}`],
    ['DELETE FROM t |> WHERE a', `Line 1, column 1: DELETE ${ONLY_READS}`],
    ["FROM t |> EXTEND nextval('s')", `Line 1, column 18: NEXTVAL ${ONLY_READS}`],
    ['FROM t |> WHERE a; DROP TABLE t', 'Line 1, column 18: Several statements'],
    ['FROM t |> WHERE a) |> SELECT (1', 'Syntax error'],
    ['FROM t |> WHERE [a |> SELECT 1]', 'Syntax error'],
  ])('hides nothing from the checks: %s', async (sql, message) => {
    for (const grammar of OF_PIPES) expect(await said(sql, grammar)).toContain(message);
  });

  it.each([
    ['FROM t |> WHERE a where', 'Line 1, column 19: Syntax error: Expected RParen'],
    ["FROM t |> SELECT '😀', a\n  |> WHERE\n|> LIMIT 1", 'Line 3, column 1: Syntax error: the query ends too early.'],
    ['FROM t |> WHERE', 'Line 1, column 16: Syntax error: the query ends too early.'],
    ['FROM t\n|> SELECT a b c', 'Line 2, column 15: Syntax error: Expected RParen'],
    ['SELECT x FROM (FROM t |> EXTEND a,, b)', 'Line 1, column 35: Syntax error'],
  ])('keeps the place of a syntax error: %j', async (sql, message) => {
    for (const grammar of OF_PIPES) {
      const complaint = await said(sql, grammar);
      expect(complaint).toContain(message);
      expect(complaint).not.toContain('p0');
    }
  });

  it('warns of a LIMIT without ORDER BY', async () => {
    const warnings = async (sql: string) => {
      const check = await checkModel(sql, { grammar: 'bigquery' });
      return check.outcome === 'accepted' ? check.warnings.length : check;
    };
    expect(await warnings('FROM t |> LIMIT 3')).toBe(1);
    expect(await warnings('FROM t |> WHERE a |> ORDER BY a |> LIMIT 3')).toBe(0);
    expect(await warnings('FROM t |> ORDER BY a |> WHERE a |> LIMIT 3')).toBe(1);
  });

  it('means nothing to the other products', async () => {
    for (const grammar of GRAMMARS.filter((each) => !OF_PIPES.includes(each))) {
      expect(await said('FROM t |> WHERE a', grammar)).toContain('column 8: Syntax error');
    }
  });

  it('is no write-back model', async () => {
    const check = await checkWriteBackModel(
      'FROM t |> SELECT email, mpid',
      { grammar: 'bigquery' },
      { email: 'email' },
    );
    expect(check.outcome === 'refused' && check.complaints.map(({ message }) => message)).toContainEqual(
      expect.stringContaining('column 8: Pipe syntax (|>) is not allowed'),
    );
  });

  it('is left to the warehouse where it is nested too deeply, within a short time', async () => {
    for (const depth of [40, 80, 2000]) {
      const sql = `${'FROM t |> WHERE a IN ('.repeat(depth)}1${')'.repeat(depth)}`;
      expect((await checkModel(sql, { grammar: 'bigquery' })).outcome).toBe('undecided');
    }
  });

  it('is refused where it is nested too deeply and stands behind INSERT OVERWRITE', async () => {
    const deep = `${'('.repeat(80)}1${')'.repeat(80)}`;
    const sql = `FROM a INSERT OVERWRITE TABLE b SELECT * WHERE c IN (FROM t |> WHERE ${deep})`;
    expect(await checkModel(sql, { grammar: 'databricks' })).toMatchObject({
      outcome: 'refused',
      complaint: { kind: 'construct', column: 8, message: expect.stringContaining('INSERT is not allowed') },
    });
  });

  it('in any order is one SELECT, and a statement inside is always found', async () => {
    const parser = await loadParser();
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom(...OPERATORS.slice(0, 11)), { maxLength: 5 }),
        fc.nat(5),
        (operators, at) => {
          const text = (list: readonly string[]) => `FROM t ${list.map((each) => `|> ${each}`).join(' ')}`;
          expect(checkByGrammar(parser, text(operators), 'databricks').outcome).toBe('accepted');
          const hidden = operators.toSpliced(at, 0, 'WHERE a IN (DELETE FROM u)');
          expect(checkByGrammar(parser, text(hidden), 'databricks').outcome).toBe('refused');
        },
      ),
      { numRuns: 100 },
    );
  });
});

describe('WITH as an expression of BigQuery', () => {
  it.each([
    'SELECT WITH(x AS 1, x) AS y FROM t',
    'SELECT a FROM t WHERE WITH (x AS f(a, 2), y AS WITH(z AS x, z + 1), x + y) > 3',
    'WITH c AS (SELECT WITH(x AS 1, x) AS a) SELECT a FROM c',
  ])('is accepted: %s', async (sql) => {
    expect(await said(sql, 'bigquery')).toBe('accepted');
    expect(await said(sql, 'postgresql')).toContain('Syntax error');
  });

  it.each([
    ["SELECT WITH(x AS nextval('s'), x)", `column 18: NEXTVAL ${ONLY_READS}`],
    ['SELECT WITH(x AS (DELETE FROM t), x)', 'column 19: '],
    ['SELECT WITH(x AS 1, x y z) FROM t', 'column 23: Syntax error'],
  ])('hides nothing and keeps places: %s', async (sql, message) => {
    expect(await said(sql, 'bigquery')).toContain(message);
  });
});

describe("a pattern behind Snowflake's star", () => {
  it.each(["SELECT * ILIKE '%id%' FROM t", "SELECT a, t.* ILIKE 'x%' EXCLUDE (b) RENAME (c AS d) FROM t"])(
    'is accepted: %s',
    async (sql) => {
      expect(await said(sql, 'snowflake')).toBe('accepted');
    },
  );

  it('needs its text, and keeps the places behind it', async () => {
    expect(await said('SELECT * ILIKE a FROM t', 'snowflake')).toContain('column 10: Syntax error');
    expect(await said("SELECT * ILIKE '%id%' FROM t where", 'snowflake')).toContain('column 30: Syntax error');
    expect(await said("SELECT * ILIKE 'a' INTO b FROM t", 'snowflake')).toContain('column 20: INTO');
  });
});
