import { describe, expect, it } from 'vitest';
import { checkModel } from '../../../src/warehouse/sql/check-model.ts';

const ONLY_READS = 'is not allowed; a model is a single SELECT that only reads.';

const complaint = async (sql: string, grammar = 'bigquery') => {
  const check = await checkModel(sql, { grammar });
  return check.outcome === 'refused' ? check.complaint.message : `${check.outcome}: ${check.sql}`;
};

describe('time travel of BigQuery', () => {
  it.each([
    'select * from t for system_time as of timestamp_sub(current_timestamp(), interval 1 hour)',
    "select a from t FOR SYSTEM_TIME AS OF timestamp('2026-01-01\n') x join u for system_time as of f('😀', (2)) as y on true",
    "select a from t for system_time as of '2026-01-01' where for_system(a)",
  ])('may be a call: %s', async (sql) => {
    expect(await checkModel(`${sql};`, { grammar: 'bigquery' })).toEqual({ outcome: 'accepted', sql, warnings: [] });
  });

  it('keeps the places behind it', async () => {
    const sql = "select a from t for system_time as of f('😀',\n 1) where";
    expect(await complaint(sql)).toBe('Line 2, column 5: Syntax error: Unexpected token: Where');
    const called = "select a from t for system_time as of nextval('x')";
    expect(await complaint(called)).toBe(`Line 1, column 39: NEXTVAL ${ONLY_READS}`);
  });

  const misread = (words: string) => `Line 1, column 42: Syntax error: ${words}`;
  it.each([
    ['f((DELETE FROM u))', misread('Unexpected token: Delete')],
    ['f((INSERT INTO u VALUES (1)))', misread('Unexpected token: Insert')],
    ['f((UPDATE u SET a = 1))', expect.stringContaining('Syntax error')],
    ['f((EXPORT DATA OPTIONS() AS SELECT 1))', expect.stringContaining('Syntax error')],
    ['f((CALL u()))', expect.stringContaining('Syntax error')],
    ['f((WITH a AS (SELECT 1) DELETE FROM u))', `Line 1, column 63: DELETE ${ONLY_READS}`],
    ["f('x' 2) as y", expect.stringContaining('Syntax error')],
    [
      'f((SELECT 1 FROM u FOR SYSTEM_TIME AS OF g((DELETE FROM u))))',
      `Line 1, column 80: A query in FOR SYSTEM_TIME AS OF ${ONLY_READS}`,
    ],
    [`f(${'('.repeat(300)}(DELETE FROM u)${')'.repeat(300)})`, `Line 1, column 342: DELETE ${ONLY_READS}`],
  ])('hides no statement from the parser: %s', async (call, message) => {
    expect(await complaint(`select a from t for system_time as of ${call}`)).toEqual(message);
  });

  it('is left to the warehouse where the parser gives up in it', async () => {
    const sql = `select a from t for system_time as of f(${'('.repeat(300)}1${')'.repeat(300)})`;
    expect(await checkModel(sql, { grammar: 'bigquery' })).toMatchObject({ outcome: 'undecided', sql });
  });

  it('is no call in other grammars', async () => {
    expect(await complaint('select * from t for system_time as of f(1)', 'snowflake')).toContain('Syntax error');
  });
});
