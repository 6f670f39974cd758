import { describe, expect, it } from 'vitest';
import { acceptsSomeGrammar, checkByGrammar, checkModel } from '../../../src/warehouse/sql/check-model.ts';
import { loadParser, type SqlParser } from '../../../src/warehouse/sql/parser.ts';

const ONLY_READS = 'is not allowed; a model is a single SELECT that only reads.';
const duckdb = { grammar: 'duckdb' };
const cut = async (sql: string, grammar = 'duckdb') => {
  const check = await checkModel(sql, { grammar });
  return check.outcome === 'refused' ? check.complaint.message : check.sql;
};
const complaint = async (sql: string, grammar = 'duckdb') => {
  const check = await checkModel(sql, { grammar });
  return check.outcome === 'refused' ? check.complaint.message : `${check.outcome}: ${check.sql}`;
};

describe('the SQL gate', () => {
  it.each([
    ['select 1', 'select 1'],
    ['select 1;', 'select 1'],
    ["  -- why\nSELECT a, 'x--;' FROM t -- trailing", "SELECT a, 'x--;' FROM t"],
    ['/* a */ select /* ; */ 1 /* b */ ; -- c', 'select /* ; */ 1'],
    ['select 1 /* a /* b */ -- c */', 'select 1'],
    ['select 1 /* a */ -- /* b', 'select 1'],
    ['with a as (select 1 as x) select * from a', 'with a as (select 1 as x) select * from a'],
    ['select 1 union all select 2 except select 3', 'select 1 union all select 2 except select 3'],
    ['((select 1))', '((select 1))'],
    ['from t', 'from t'],
    ['select \'😀é\', "😀" from t ; -- 😀', 'select \'😀é\', "😀" from t'],
    ['select update_time, "delete", \'insert\' from t where a = $range_start', undefined],
  ])('keeps the text of %j as it is', async (sql, kept = sql) => {
    expect(await cut(sql)).toBe(kept);
  });

  it.each([
    ['delete from t', 'Line 1, column 1: DELETE'],
    ['select 1;\n drop table t', 'Line 1, column 9: Several statements'],
    ['select 1;;', 'Line 1, column 9: Several statements'],
    ['with a as (\n  insert into t values (1) returning *) select * from a', 'Line 2, column 3: INSERT'],
    ['with a as (select 1) insert into t select * from a', 'Line 1, column 22: INSERT'],
    ['select a into b from t', 'Line 1, column 10: INTO'],
    ['select * from t for update', 'Line 1, column 17: FOR UPDATE'],
    ['select * from t for share', 'Line 1, column 17: FOR SHARE'],
    ['select * from (select * from t for update) x', 'Line 1, column 32: FOR UPDATE'],
    ['show tables', 'Line 1, column 1: SHOW'],
    ['describe t', 'Line 1, column 1: DESCRIBE'],
    ['explain select 1', 'Line 1, column 1: EXPLAIN'],
    ['pragma database_list', 'Line 1, column 1: PRAGMA'],
    ['set threads = 1', 'Line 1, column 1: SET'],
    ["copy t to 'x.csv'", 'Line 1, column 1: COPY'],
    ["attach 'x'", 'Line 1, column 1: ATTACH'],
    ['call f()', 'Line 1, column 1: CALL'],
    ['create table x as select 1', 'Line 1, column 1: CREATE TABLE'],
    ['begin', 'Line 1, column 1: TRANSACTION'],
    ['values (1)', 'Line 1, column 1: VALUES'],
    ['hello', 'Line 1, column 1: HELLO'],
    ["select nextval('s')", 'Line 1, column 8: NEXTVAL'],
    ['select U&"\\006co_create"(0)', 'Line 1, column 8: A name that is written with escapes (U&"…")'],
    ["select reflect('java.lang.System', 'exit', 1)", 'Line 1, column 8: REFLECT'],
    ['select * from (summarize t)', 'Line 1, column 16: SUMMARIZE'],
    ['', 'Line 1, column 1: The model is empty'],
    ['-- nothing', 'Line 1, column 1: The model is empty'],
    [
      'SELEC customer_id FROM app.customers',
      'Line 1, column 1: Syntax error: a query cannot begin with SELEC; begin with SELECT or WITH.',
    ],
    ['\n  WHIT a AS (SELECT 1) SELECT * FROM a', 'Line 2, column 3: Syntax error: a query cannot begin with WHIT'],
    ['select 1 where', 'Line 1, column 10: Syntax error'],
    ["select 'abc", 'Line 1, column 8: Syntax error: Unterminated string'],
    ['select a\nfrom t /* where b', 'Line 2, column 8: Syntax error: the comment is not closed; close it with */.'],
    ['/* select 1', 'Line 1, column 1: Syntax error: the comment is not closed'],
  ])('refuses %j and says what and where', async (sql, message) => {
    expect(await complaint(sql)).toContain(message);
  });

  it.each([
    ['select lo_create(0)', 'Line 1, column 8: LO_CREATE'],
    ['select pg_catalog.lo_create(0)', 'Line 1, column 19: LO_CREATE'],
    ['select pg_catalog."lo_create" (0)', 'Line 1, column 19: LO_CREATE'],
    ["select * from dblink('x', 'y') as t(a int)", 'Line 1, column 15: DBLINK'],
    ["select * from lateral pg_ls_dir('.') as d", 'Line 1, column 23: PG_LS_DIR'],
    ["select pg_read_file('/etc/passwd')", 'Line 1, column 8: PG_READ_FILE'],
    ['select a from t where pg_terminate_backend(1)', 'Line 1, column 23: PG_TERMINATE_BACKEND'],
    ["select set_config('a', 'b', false)", 'Line 1, column 8: SET_CONFIG'],
    ["select query_to_xml('x', true, true, '')", 'Line 1, column 8: QUERY_TO_XML'],
  ])('refuses %j in the grammars of PostgreSQL and Redshift alone', async (sql, message) => {
    for (const grammar of ['postgresql', 'redshift']) expect(await complaint(sql, grammar)).toContain(message);
    expect(await complaint(sql)).toContain('accepted');
  });

  it.each(['postgresql', 'snowflake', 'bigquery', 'redshift', 'databricks', 'duckdb'])(
    'holds the same rules in the grammar %s',
    async (grammar) => {
      expect(await cut('select a from t; -- x', grammar)).toBe('select a from t');
      for (const sql of [
        'merge into t using s on t.a = s.a when matched then delete',
        "execute immediate 'x'",
        'truncate t',
        'grant select on t to u',
        'call p()',
        'use database x',
        'select 1; select 2',
      ]) {
        expect(await complaint(sql, grammar)).toMatch(/^Line 1, column \d+: /);
      }
    },
  );

  it('leaves functions alone that only compute, and columns of such names', async () => {
    for (const sql of [
      'select lower(a), log(b), pg_typeof(c), lo_total, lo_rate as lo_create from t',
      'select a in (1) from t',
    ])
      expect(await cut(sql, 'postgresql')).toBe(sql);
    expect(await complaint('select system$cancel_all_queries(1)', 'snowflake')).toContain(
      'SYSTEM$CANCEL_ALL_QUERIES is not',
    );
    expect(await cut('select system$typeof(1)', 'snowflake')).toBe('select system$typeof(1)');
    expect(await cut('select nextval, t.nextvals from t', 'snowflake')).toBe('select nextval, t.nextvals from t');
    expect(await cut('select t.nextval from t', 'duckdb')).toBe('select t.nextval from t');
  });

  it.each([
    ['bigquery', "select * from external_query('eu.c', 'delete from t')", 'Line 1, column 15: EXTERNAL_QUERY'],
    ['bigquery', "select * from EXTERNAL_QUERY ('eu.c', 'x')", 'Line 1, column 15: EXTERNAL_QUERY'],
    ['databricks', "select http_request(conn => 'c', method => 'POST', path => '/')", 'column 8: HTTP_REQUEST'],
    ['databricks', "select ai_query('endpoint', email) from t", 'Line 1, column 8: AI_QUERY'],
    ['databricks', "select * from remote_query('c', query => 'x')", 'Line 1, column 15: REMOTE_QUERY'],
    ['snowflake', 'select seq.NEXTVAL', 'Line 1, column 12: NEXTVAL'],
    ['snowflake', 'select db.s.seq . nextval as n from t', 'Line 1, column 19: NEXTVAL'],
    ['snowflake', 'select seq."NEXTVAL"', 'Line 1, column 12: NEXTVAL'],
    ['snowflake', 'select s.a from t, table(getnextval(seq)) s', 'Line 1, column 26: GETNEXTVAL'],
    ['postgresql', "select http_post('http://x', email) from t", 'Line 1, column 8: HTTP_POST'],
    ['postgresql', "select aws_lambda.invoke('f', '{}')", 'Line 1, column 19: INVOKE'],
  ])('refuses in %s what sends values or statements elsewhere, or counts on: %s', async (grammar, sql, message) => {
    expect(await complaint(sql, grammar)).toContain(message);
  });

  it.each(['postgresql', 'redshift'])(
    'refuses in %s what PostgreSQL and Redshift read differently',
    async (grammar) => {
      for (const sql of ["select 'a\\' , 'b' /* ' */", "select 'a\\'' , f(1), $$'$$ --'"])
        expect(await complaint(sql, grammar)).toContain('Line 1, column 8: A backslash before a quote');
      expect(await complaint("select 'a\\'' , lo_create(1) --'", grammar)).toContain('LO_CREATE');
      expect(await complaint("select 'a\\'' ; drop table t --'", grammar)).toContain('Several statements');
      for (const sql of [
        "select a from t where a like '%\\_%' escape '\\'",
        "select replace(x, '\\', '') from t",
        "select replace(x, '\\', ''), replace(y, '\\', '') from t",
        'with lo_orders (a, b) as (select 1, 2) select * from lo_orders',
        'select lo_score(a) from t',
      ])
        expect(await cut(sql, grammar)).toBe(sql);
      for (const sql of ["select 'C:\\dir'", "select 'it''s'"]) expect(await cut(sql, grammar)).toBe(sql);
    },
  );

  it.each([`select ${'('.repeat(100)}1${')'.repeat(100)}`, `select 1${' + 1'.repeat(20_000)}`])(
    'leaves a text that is too much for the parser to the warehouse',
    async (sql) => {
      expect((await checkModel(`${sql};`, duckdb)).outcome).toBe('undecided');
      expect(await cut(`${sql}; -- x`)).toBe(sql);
    },
  );

  it('refuses several statements even where the parser gives up', async () => {
    const deep = `${'('.repeat(100)}1${')'.repeat(100)}`;
    expect(await complaint(`select ${deep}; delete from t`)).toContain('Several statements');
  });
});

describe('where the parser gives up', () => {
  const deep = `${'('.repeat(100)}1${')'.repeat(100)}`;

  it.each([
    `select ${deep}`,
    `SELECT '(', ")", ${deep}`,
    `with a as (select ${deep}) select * from a`,
    `from t where a = ${deep}`,
    `(select ${deep})`,
  ])('%.40s… is left to the warehouse', async (sql) => {
    expect(await checkModel(` ${sql};`, duckdb)).toEqual({
      outcome: 'undecided',
      sql,
      reason: expect.stringContaining('GUARD'),
    });
  });

  it.each([
    [`select ${deep}) as x, (select 1`, 'Syntax error: the parentheses do not match.'],
    [`select (${deep}`, 'Syntax error: the parentheses do not match.'],
    [`select ')', "a)", (${deep}`, 'Syntax error: the parentheses do not match.'],
    [`delete from t where a = ${deep}`, `DELETE ${ONLY_READS}`],
    [`with a as (select 1) delete from t where a = ${deep}`, `DELETE ${ONLY_READS}`, 23],
    [`select ${deep} into b from t`, `INTO ${ONLY_READS}`, 211],
    [`select ${deep} from t for no key update`, `FOR UPDATE ${ONLY_READS}`, 218],
    [`values (${deep})`, `VALUES ${ONLY_READS}`],
  ])('%.40s… is refused', async (sql, message, column = 2) => {
    expect(await complaint(`\n ${sql}`)).toBe(`Line 2, column ${column}: ${message}`);
  });
});

describe('parentheses', () => {
  it.each(['select * from t for system_time as of f(1', 'select * from t for system_time as of f(1, (2)'])(
    'must match where the parser does not look: %s',
    async (sql) => {
      expect(await complaint(sql, 'bigquery')).toBe('Line 1, column 1: Syntax error: the parentheses do not match.');
    },
  );
});

describe('answers that the parser gave to no text yet', () => {
  const twice = (real: SqlParser): SqlParser => ({
    tokens: (sql, grammar) => real.tokens(sql, grammar),
    parse: () => ({ outcome: 'parsed', statements: [{ select: {} }, { select: {} }] }),
  });

  it('refuses two statements without a semicolon, and a text without tokens that is read all the same', async () => {
    const parser = await loadParser();
    const sql = '\n select 1 select 2';
    expect(checkByGrammar(twice(parser), sql, 'duckdb')).toEqual({
      outcome: 'refused',
      complaint: {
        kind: 'construct',
        line: 2,
        column: 2,
        message: 'Line 2, column 2: Several statements are not allowed; write a single SELECT.',
      },
    });
    const tokenless: SqlParser = { ...twice(parser), tokens: () => undefined };
    expect(checkByGrammar(tokenless, sql, 'duckdb')).toEqual({
      outcome: 'refused',
      complaint: {
        kind: 'syntax',
        line: 1,
        column: 1,
        message: 'Line 1, column 1: Syntax error: a quote or comment is not closed.',
      },
    });
  });
});

describe('a model without a connection', () => {
  it.each(['select `a` from `p.d.t`', 'select a.b:c::int from t', 'select * exclude (a) from t'])(
    'accepts %j because one grammar does',
    async (sql) => {
      expect((await acceptsSomeGrammar(sql)).outcome).toBe('accepted');
    },
  );

  it.each([
    ['delete from t', 'construct', `Line 1, column 1: DELETE ${ONLY_READS}`],
    ['select a\nfrom t where', 'syntax', 'Line 2, column 8: Syntax error: Unexpected token: Where'],
    // DuckDB stops at the second colon
    ['select a.b:c::int from t where', 'syntax', 'Line 1, column 26: Syntax error: Unexpected token: Where'],
    ['select a.b:c::int into x from t', 'construct', `Line 1, column 19: INTO ${ONLY_READS}`],
    // an operator to PostgreSQL, a comment to BigQuery
    ['select a # b\n where', 'syntax', 'Line 2, column 2: Syntax error: Unexpected token: Where'],
    // text in quotes to BigQuery and Databricks, and the last quote is not closed
    ['select "a\\"\n from t where x \'', 'syntax', 'Line 2, column 17: Syntax error: Unterminated string'],
    // a function of PostgreSQL only
    ['select lo_create(1)\nfrom t where', 'construct', `Line 1, column 8: LO_CREATE ${ONLY_READS}`],
    // Databricks complains of the backslash
    ['select a into b -- \\\nfrom t', 'construct', `Line 1, column 10: INTO ${ONLY_READS}`],
    ['', 'construct', 'Line 1, column 1: The model is empty; write a single SELECT.'],
  ])('tells of %j what the most patient grammar says', async (sql, kind, message) => {
    const check = await acceptsSomeGrammar(sql);
    expect(check.outcome === 'refused' ? [check.complaint.kind, check.complaint.message] : check).toEqual([
      kind,
      message,
    ]);
  });

  it('leaves to the warehouse what is too much for the parser', async () => {
    const sql = `select ${'('.repeat(100)}1${')'.repeat(100)}`;
    for (const each of [sql, sql.replace('1', 'lo_create(1)')]) {
      expect(await acceptsSomeGrammar(`${each} -- x`)).toMatchObject({ outcome: 'undecided', sql: each });
    }
  });
});
