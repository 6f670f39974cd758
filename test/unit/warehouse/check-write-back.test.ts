import { describe, expect, it } from 'vitest';
import { IDENTITY_COLUMNS } from '../../../src/identity/index.ts';
import { checkWriteBackModel, type WriteBackCheck } from '../../../src/warehouse/index.ts';
import { type Case, EVERYWHERE, ONLY_HERE } from './write-back-corpus.ts';

const check = (sql: string, grammar = 'duckdb') => checkWriteBackModel(sql, { grammar }, IDENTITY_COLUMNS);
const brokenBy = (checked: WriteBackCheck) =>
  checked.outcome === 'accepted' ? [] : checked.complaints.map(({ rule }) => rule);

/** What the messages of a rule say, and those of no other. */
const SAYS: Readonly<Record<string, RegExp>> = {
  comment: /Comments are not allowed/,
  semicolon: /A trailing semicolon is not allowed/,
  quotes: /Quotes around names are not allowed/,
  one_select: /(?:[A-Z]|A query in parentheses) is not allowed; a write-back model is a single SELECT/,
  join: /JOIN, as well as a comma between tables, is not allowed/,
  one_table: /FROM (?:names no|must name a) table|after the table is not allowed|is not the name of a table/,
  subquery: /A subquery in WHERE is not allowed/,
  aggregate: /is not allowed; each row of the table is resolved separately/,
  clause: /is not allowed; leave it out/,
  star: /is not allowed; name each column/,
  expression: /is not a column of the table/,
  alias: /renames a column/,
  reserved_name: /not a? ?reserved identity names?;/,
  twice: /both mean/,
  identity: /The model selects no identity/,
  mpid: /The model does not select MPID/,
};

describe.each(Object.entries(ONLY_HERE))('the rules of a write-back model, in the grammar %s', (grammar, own) => {
  it.each<Case>([...EVERYWHERE, ...own])('%j breaks %j', async (sql, broken) => {
    const checked = await check(sql, grammar);
    expect(brokenBy(checked)).toEqual(broken);
    for (const { rule, message } of checked.outcome === 'accepted' ? [] : checked.complaints) {
      const said = Object.keys(SAYS).filter((name) => SAYS[name]?.test(message));
      // a text that is no model at all is the gate's to speak of
      expect(said).toEqual(rule === 'model' ? [] : [rule]);
      expect(message).toMatch(/^Line \d+, column \d+: /);
    }
  });
});

describe('what a refused write-back model is told', () => {
  const identities = Object.keys(IDENTITY_COLUMNS).join(', ');

  it.each([
    [
      'SELECT mpid, email\nFROM users -- all',
      'Line 2, column 12: Comments are not allowed in a write-back model; remove',
    ],
    [
      'SELECT mpid, email FROM users;',
      'Line 1, column 30: A trailing semicolon is not allowed in a write-back model; remove',
    ],
    [
      'SELECT mpid, email FROM "users"',
      'Line 1, column 25: Quotes around names are not allowed ("users"); write columns',
    ],
    [
      'SELECT mpid, email FROM a UNION SELECT 1, 2',
      'Line 1, column 27: UNION is not allowed; a write-back model is a single SELECT',
    ],
    [
      'SELECT mpid, email FROM a JOIN b ON a.c = b.c',
      'Line 1, column 27: JOIN, as well as a comma between tables, is not',
    ],
    ['SELECT mpid, email FROM f(1)', 'Line 1, column 20: FROM must name a table; a write-back model is'],
    [
      'SELECT mpid, email FROM a WHERE b IN (SELECT 1)',
      'Line 1, column 39: A subquery in WHERE is not allowed; WHERE can',
    ],
    [
      'SELECT mpid, max(email) AS email FROM a',
      'Line 1, column 14: The aggregate "max(email) AS email" is not allowed; each',
    ],
    ['SELECT mpid, email FROM a GROUP BY 1, 2', 'Line 1, column 27: GROUP BY is not allowed; each row of the table is'],
    [
      'SELECT mpid, email FROM a LIMIT 5',
      'Line 1, column 27: LIMIT is not allowed; leave it out: a write-back model is a single',
    ],
    ['SELECT a.* FROM a', 'Line 1, column 8: a.* is not allowed; name each column'],
    [
      'SELECT mpid, trim(email) AS email FROM a',
      'Line 1, column 14: "trim(email) AS email" is not a column of the table; select',
    ],
    [
      'SELECT mpid, mail AS email FROM a',
      'Line 1, column 14: "mail AS email" renames a column; select it under its own name',
    ],
    [
      'SELECT mpid, email, city, zip FROM a',
      `Line 1, column 21: "city", "zip" are not reserved identity names; a write-back model selects only MPID and identities: ${identities}. Remove the others, or rename them in the table.`,
    ],
    [
      'SELECT mpid, customer_id, CustomerID FROM a',
      'Line 1, column 27: "customer_id" and "CustomerID" both mean customer_id; select only one',
    ],
    ['SELECT mpid FROM a', 'Line 1, column 1: The model selects no identity, so its rows cannot be identified'],
    ['SELECT email FROM a', 'Line 1, column 1: The model does not select MPID; add the column MPID'],
    ['DROP TABLE a', 'Line 1, column 1: DROP TABLE is not allowed; a model is a single SELECT that only reads.'],
  ])('%j: %s', async (sql, message) => {
    const checked = await check(sql);
    const [complaint] = checked.outcome === 'refused' ? checked.complaints : [];
    expect(complaint?.message).toContain(message);
  });

  it('hears of every broken rule at once', async () => {
    expect(brokenBy(await check('SELECT DISTINCT "name", lower(a) FROM t, u ORDER BY 1; -- x'))).toEqual([
      ...['comment', 'semicolon', 'quotes', 'join', 'aggregate', 'clause', 'expression', 'reserved_name', 'identity'],
      'mpid',
    ]);
  });
});

describe('an accepted write-back model', () => {
  it('says what is read and updated, as it is written', async () => {
    const sql = ' SELECT u.Email, MPID, customerid FROM Db.Shop.Users AS u WHERE MPID IS NULL\n';
    expect(await check(sql, 'snowflake')).toEqual({
      outcome: 'accepted',
      projectsMpid: true,
      model: {
        sql: sql.trim(),
        table: ['Db', 'Shop', 'Users'],
        identities: [
          { column: 'Email', position: 0, type: 'email' },
          { column: 'customerid', position: 2, type: 'customer_id' },
        ],
        mpid: { column: 'MPID', position: 1 },
      },
    });
  });
});

describe('whether a model projects MPID', () => {
  it.each([
    ['SELECT mpid, email FROM a', true],
    ['SELECT max(MPID) AS MPID FROM a', true],
    ['SELECT mpid, email FROM a UNION SELECT 1, 2', true],
    ['WITH a AS (SELECT 1) (SELECT "mpid" FROM a)', true],
    ['SELECT email, first_name FROM a JOIN b ON a.c = b.c', false],
    ['SELECT count(*) FROM (SELECT mpid FROM a) b', false],
    ['SELECT * FROM a', undefined],
    ['SELECT FROM WHERE', undefined],
  ])('%j: %s', async (sql, projects) => {
    expect((await check(sql)).projectsMpid).toBe(projects);
  });
});
