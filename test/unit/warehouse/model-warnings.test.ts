import { describe, expect, it } from 'vitest';
import { checkModel } from '../../../src/warehouse/sql/check-model.ts';
import { GRAMMARS } from '../../../src/warehouse/sql/parser.ts';

const warnings = async (sql: string, grammar: string) => {
  const check = await checkModel(sql, { grammar });
  return check.outcome === 'accepted' ? check.warnings : check;
};
const random = (name: string) =>
  `${name} returns another value each time the model is read; select a stored column instead.`;
const clock = (name: string) => `${name} changes between two reads of the model; select a stored column instead.`;
const CUT = 'LIMIT without ORDER BY may return other rows each time the model is read; add ORDER BY.';
const SAMPLE = 'A sample returns other rows each time it is read; filter with WHERE instead.';

const RANDOM = [
  ...['random()', 'rand()', 'rand(1)', 'randn()', 'randstr(5, random())', 'uniform(1, 2)', 'zipf(1, 10, 1)'],
  ...['newid()', 'seq1()', 'seq2()', 'seq4()', 'seq8()', 'uuid()', 'uuidv4()', 'uuidv7()', 'uuid_string()'],
  ...['gen_random_uuid()', 'generate_uuid()', 'uuid_generate_v4()', 'pg_catalog.random()', 'Uuid()'],
];
const CLOCK = [
  ...[
    'now()',
    'now(6)',
    'today()',
    'getdate()',
    'sysdate',
    'systimestamp',
    'clock_timestamp()',
    'statement_timestamp()',
  ],
  ...[
    'timeofday()',
    'transaction_timestamp()',
    'current_date',
    'current_time',
    'current_timestamp',
    'current_timestamp(3)',
  ],
  ...['current_datetime()', 'current_localtime()', 'current_localtimestamp()', 'localtime', 'localtimestamp'],
  ...['get_current_time()', 'get_current_timestamp()', 'utc_date', 'utc_time', 'utc_timestamp()', 'unix_timestamp()'],
  ...['pg_catalog.now()', 'CURRENT_DATE'],
];
const nameOf = (call: string) => /(\w+)(?:\(|$)/.exec(call)?.[1]?.toLowerCase() ?? '';

describe('a model that may answer differently when it is read again', () => {
  it.each(RANDOM)('is warned of %s in every grammar', async (call) => {
    for (const grammar of GRAMMARS) {
      expect(await warnings(`select a, b + ${call} from t`, grammar)).toContain(random(nameOf(call)));
    }
  });

  it.each(CLOCK)('is warned of %s in every grammar', async (call) => {
    for (const grammar of GRAMMARS) {
      expect(await warnings(`select a from t where b > ${call}`, grammar)).toEqual([clock(nameOf(call))]);
    }
  });

  it('is warned of the seed, where it may set one', async () => {
    expect(await warnings('select setseed(1)', 'duckdb')).toEqual([random('setseed')]);
  });

  it.each(['select now(), random(), now() from t tablesample (1 percent) limit 1'])(
    'gets each warning once, in a fixed order: %s',
    async (sql) => {
      expect(await warnings(sql, 'postgresql')).toEqual([SAMPLE, CUT, clock('now'), random('random')].sort());
    },
  );

  it.each([
    'select a from t limit 3',
    'select a from t offset 3',
    'select a from t fetch first 3 rows only',
    'select top 3 a from t',
    '(select a from t) limit 3',
    'select * from (select a from t limit 3) x order by a',
    'select a from t union select b from u limit 3',
    'with x as (select a from t limit 3) select a from x order by a limit 3',
  ])('is warned of rows that are cut without an order: %s', async (sql) => {
    for (const grammar of GRAMMARS) expect(await warnings(sql, grammar)).toEqual([CUT]);
  });

  it.each([
    'select a from t tablesample bernoulli (10)',
    'select a from t sample (10)',
    'select * from t tablesample (10 percent) x',
  ])('is warned of a sample: %s', async (sql) => {
    for (const grammar of GRAMMARS) expect(await warnings(sql, grammar)).toEqual([SAMPLE]);
  });

  it('is warned of a sample as DuckDB writes it', async () => {
    expect(await warnings('select a from t using sample 10', 'duckdb')).toEqual([SAMPLE]);
  });
});

describe('a model that answers the same', () => {
  it.each([
    'select a from t order by a limit 3',
    'select a from t order by a offset 3',
    'select a from t order by a fetch first 3 rows only',
    'select top 3 a from t order by a',
    '(select a from t) order by a limit 3',
    'select a from t union select b from u order by 1 limit 3',
    'select uuid(a), unix_timestamp(b), s.uuid(a, b) from t',
    'select unix_timestamp(a, b) from t',
    'select t.now, now, t.current_date, uuid, random, t.random as uuidv4, today from t',
    "select 'now()', 'random()' from t -- now()",
    'select limit_to, top, sample_of from t as random',
  ])('has no warning: %s', async (sql) => {
    for (const grammar of GRAMMARS) expect(await warnings(sql, grammar)).toEqual([]);
  });

  it.each(['duckdb', 'postgresql', 'redshift', 'snowflake'])(
    'may quote a column of such a name in %s',
    async (grammar) => {
      expect(await warnings('select "now", t."random", "uuid" from t', grammar)).toEqual([]);
    },
  );
});
