import { AppError, type Micros, parseInstant } from '../../src/kernel/index.ts';
import { fewRows } from './few-rows.ts';
import type { Link } from './link/link.ts';
import { CLOCK_SQL } from './statements.ts';

/** The warehouse's time when the statement began: what was committed before it is seen by every statement after it. */
export async function readClock(link: Link, signal: AbortSignal): Promise<Micros> {
  const [[now] = []] = await fewRows(link, { text: CLOCK_SQL, values: [] }, { signal });
  const micros = typeof now === 'string' ? parseInstant(now) : undefined;
  if (micros === undefined) throw new AppError('WAREHOUSE_UNKNOWN', 'The warehouse did not say what time it is.');
  return micros;
}
