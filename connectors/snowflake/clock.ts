import { AppError, type Micros, parseInstant } from '../../src/kernel/index.ts';
import { fewRows } from './few-rows.ts';
import type { Link } from './link/link.ts';
import { CLOCK_SQL } from './statements.ts';

/** Returns the warehouse's time at the start of the statement; later statements see everything committed before that time. */
export async function readClock(link: Link, signal: AbortSignal): Promise<Micros> {
  const [[now] = []] = await fewRows(link, { text: CLOCK_SQL, values: [] }, { signal });
  const micros = typeof now === 'string' ? parseInstant(now) : undefined;
  if (micros === undefined) throw new AppError('WAREHOUSE_UNKNOWN', 'The warehouse did not return its current time.');
  return micros;
}
