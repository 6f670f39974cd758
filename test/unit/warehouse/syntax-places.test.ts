import { describe, expect, it } from 'vitest';
import { checkModel } from '../../../src/warehouse/sql/check-model.ts';

const duckdb = { grammar: 'duckdb' };
const complaint = async (sql: string) => {
  const check = await checkModel(sql, duckdb);
  return check.outcome === 'refused' ? check.complaint.message : `${check.outcome}: ${check.sql}`;
};

describe('a syntax error', () => {
  it.each([
    ['SELEC x FROM t', 'Line 1, column 1: Syntax error: a query cannot begin with SELEC'],
    [
      'with a as (\n  SELEC x from t) select * from a',
      'Line 2, column 3: Syntax error: "SELEC" is not expected here; write SELECT',
    ],
    [
      'select 1 union all SLECT x from t',
      'Line 1, column 20: Syntax error: "SLECT" is not expected here; write SELECT',
    ],
    [
      'select a\n form t where b',
      'Line 2, column 2: Syntax error: "form" is not expected here; write FROM if you mean it.',
    ],
    ['select a from t\nwher b = 1', 'Line 2, column 1: Syntax error: "wher" is not expected here; write WHERE'],
    ['select a from t gruop by a', 'Line 1, column 17: Syntax error: "gruop" is not expected here; write GROUP'],
    ['select form b c from t', 'Line 1, column 15: Syntax error: "c" is not expected here.'],
    ['select a b c from t', 'Line 1, column 12: Syntax error: "c" is not expected here.'],
    ['select 1; -- a\n/* b /* c */', 'Line 2, column 1: Syntax error: the comment is not closed'],
  ])('is reported at the word that caused it: %j', async (sql, message) => {
    expect(await complaint(sql)).toContain(message);
  });
});

describe('where the parser gives up', () => {
  const deep = `${'('.repeat(100)}1${')'.repeat(100)}`;

  it('is not told from a text that quotes the words of the parser', async () => {
    const sql = "with a as (delete from t returning b 'E_GUARD_x') select 1";
    expect(await complaint(sql)).toContain('Line 1, column 38: Syntax error');
  });

  it.each([`select "into", 'for update', ${deep}`, `select update_time, t.deleted from t where a = ${deep}`])(
    'only names look like statements: %.50s…',
    async (sql) => expect((await checkModel(sql, duckdb)).outcome).toBe('undecided'),
  );
});
