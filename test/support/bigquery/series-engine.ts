// Statements that the emulator cannot do: results too large for it, which are made up row by row when they are asked for, and
// a statement that goes on until it is cancelled, which would hold up everybody else on the emulator.
import { once } from 'node:events';
import type { QueryAnswer, QueryEngine, Rows } from './jobs-api.ts';

/** Rows from which on the emulator is not asked. */
const MOST_ROWS = 100_000;
export const SLOW =
  'SELECT COUNT(*) AS `rows` FROM UNNEST(GENERATE_ARRAY(1, 1000000)) AS a CROSS JOIN UNNEST(GENERATE_ARRAY(1, 1000000)) AS b WHERE MOD(a + b, 7) = 3';

export function series(rows: number): string {
  return `(SELECT n FROM UNNEST(GENERATE_ARRAY(0, ${rows - 1})) AS n) AS series`;
}

const FIELDS = [{ name: 'n', type: 'INTEGER', mode: 'NULLABLE' }];

/** All other statements go to `engine`. */
export function withSeries(engine: QueryEngine): QueryEngine {
  return {
    ...engine,
    async run(request, signal) {
      if (request.query === SLOW) {
        await once(signal, 'abort');
        throw { status: 400, reason: 'stopped', message: 'Job execution was cancelled' };
      }
      return seriesOf(request.query) ?? (await engine.run(request, signal));
    },
    async describe(request) {
      if (seriesOf(request.query) === undefined) return await engine.describe(request);
      return { fields: FIELDS, statementType: 'SELECT' };
    },
  };
}

function seriesOf(query: string): QueryAnswer | undefined {
  const rows = Number(/GENERATE_ARRAY\(0, (\d+)\)/.exec(query)?.[1]) + 1;
  if (!(rows >= MOST_ROWS) || query !== `SELECT n FROM ${series(rows)}`) return undefined;
  return { fields: FIELDS, rows: numbers(rows) };
}

function numbers(length: number): Rows {
  return {
    length,
    slice: (from = 0, to = length) =>
      Array.from({ length: Math.max(0, Math.min(to, length) - from) }, (_, at) => ({ f: [{ v: String(from + at) }] })),
  };
}
