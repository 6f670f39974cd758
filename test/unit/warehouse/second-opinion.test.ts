import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { logDisagreements } from '../../../src/app/log-disagreements.ts';
import { createLog } from '../../../src/kernel/index.ts';
import { checkModel } from '../../../src/warehouse/index.ts';
import { checkModel as checkHere } from '../../../src/warehouse/sql/check-model.ts';
import { readAgain } from '../../../src/warehouse/sql/second-opinion.ts';

/** A model that the second parser misreads: only it takes the quote behind `r'\` for the end of the text. */
const DISPUTED = "select r'\\'; drop table people_4711; --' from t";

describe('the second parser', () => {
  it.each([
    ['postgresql', 'select a from t; drop table t', ['SELECT', 'DROP']],
    ['postgresql', 'with a as (insert into t values (1) returning *) select 1', ['SELECT', 'INSERT']],
    ['redshift', 'select a into b from t', ['SELECT', 'INTO']],
    ['bigquery', 'insert into t values (1)', ['INSERT']],
    ['snowflake', 'select a from t; ', ['SELECT']],
    ['snowflake', "select replace(a, 'insert', 'b') as \"delete\" from t", ['SELECT']],
    ['postgresql', '(select 1) union all (select 2)', ['SELECT']],
  ])('sees in %s each statement, also within a query: %s', (grammar, sql, seen) => {
    expect(readAgain(sql, grammar)).toEqual(seen);
  });

  it.each([
    ['duckdb', 'select 1'],
    ['databricks', 'select 1'],
    ['postgresql', 'select a from where'],
    ['postgresql', `select 1${' '.repeat(20_000)}`],
  ])('has no opinion in %s about %.30s', (grammar, sql) => {
    expect(readAgain(sql, grammar)).toBeUndefined();
  });

  it('is interrupted where it would read on for days', () => {
    // each parenthesis doubles what the parser tries
    expect(readAgain(`select ${'('.repeat(60)}1`, 'postgresql')).toBeUndefined();
  });
});

describe('a disagreement of the two parsers', () => {
  it('is refused, and says what to change', async () => {
    const check = await checkHere(DISPUTED, { grammar: 'snowflake' });
    expect(check).toMatchObject({
      outcome: 'refused',
      complaint: {
        kind: 'construct',
        message:
          'Line 1, column 1: Two parsers read this model differently: one sees a single SELECT, the other sees SELECT and DROP. ' +
          'Write it so that both see a single SELECT: leave out comments and unusual quotes, and rename what has the name of a ' +
          'statement.',
        readings: { first: 'SELECT', second: 'SELECT and DROP' },
      },
    });
  });

  it('is refused too where the first parser gives up', async () => {
    const deep = `${'('.repeat(40)}1${')'.repeat(40)}`;
    const check = await checkHere(DISPUTED.replace(' from', `, ${deep} from`), { grammar: 'snowflake' });
    expect(check).toMatchObject({ outcome: 'refused', complaint: { readings: { second: 'SELECT and DROP' } } });
  });

  it('is logged once with both readings and nothing of the text', async () => {
    const lines: string[] = [];
    logDisagreements(createLog('info', { write: (line) => lines.push(line) }));
    for (const _ of [1, 2]) await checkModel(DISPUTED, { grammar: 'snowflake' });
    await checkModel('select nextval(1)', { grammar: 'snowflake' });
    logDisagreements(createLog('silent'));
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({
        msg: 'gate.parsers_disagree',
        grammar: 'snowflake',
        first: 'SELECT',
        second: 'SELECT and DROP',
        sha256: createHash('sha256').update(DISPUTED).digest('hex'),
        characters: DISPUTED.length,
      }),
    ]);
    expect(lines.join('')).not.toContain('people_4711');
  });
});
