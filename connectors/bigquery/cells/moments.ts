// BigQuery's days and times as cells: microseconds everywhere, years 1 to 9999.
import { dayText, timeText } from '../../_shared/moments.ts';

const MICROS_PER_DAY = 86_400e6;
const MICROS_PER_DAY_EXACT = 86_400_000_000n;

/** Returns `2024-01-31T23:59:59.000001` for microseconds since 1970; beyond the year 2255 they are no safe number. */
export function momentText(micros: number | bigint): string {
  if (typeof micros === 'bigint') return farMomentText(micros);
  const days = Math.floor(micros / MICROS_PER_DAY);
  return `${dayText(days)}T${timeText(micros - days * MICROS_PER_DAY)}`;
}

function farMomentText(micros: bigint): string {
  const rest = micros % MICROS_PER_DAY_EXACT;
  const days = micros / MICROS_PER_DAY_EXACT - (rest < 0n ? 1n : 0n);
  return `${dayText(Number(days))}T${timeText(Number(micros - days * MICROS_PER_DAY_EXACT))}`;
}

const FRACTION = '.000000';

/** Pads the fraction to six digits: `10:00:00` and `10:00:00.5`, also after a day. */
export function padFraction(text: string): string {
  const point = text.indexOf('.');
  return point < 0 ? text + FRACTION : text.padEnd(point + FRACTION.length, '0');
}
