// Snowflake's intervals as texts in one form each, whatever fields the type has. The wire has whole months and whole
// nanoseconds: snowflakedb/snowflake-connector-python, src/snowflake/connector/converter.py.
import { AppError } from '../../src/kernel/index.ts';
import { nanosText, timeText } from '../_shared/moments.ts';

/** Converts months: `43` → `+3-07`, three years and seven months. */
export function yearsAndMonths(text: string): string {
  const { sign, amount } = parts(text);
  return `${sign}${amount / 12n}-${String(amount % 12n).padStart(2, '0')}`;
}

const NANOS_PER_DAY = 86_400_000_000_000n;

/** Converts nanoseconds: `273906123456000` → `+3 04:05:06.123456`. */
export function daysAndTime(text: string): string {
  const { sign, amount } = parts(text);
  const ofDay = amount % NANOS_PER_DAY;
  return `${sign}${amount / NANOS_PER_DAY} ${timeText(Number(ofDay / 1000n))}${nanosText(Number(ofDay % 1000n))}`;
}

const WHOLE = /^(-?)(\d{1,40})$/;

function parts(text: string): { readonly sign: '+' | '-'; readonly amount: bigint } {
  const match = WHOLE.exec(text);
  if (match === null) {
    throw new AppError(
      'WAREHOUSE_DATA',
      `The warehouse returned "${text.slice(0, 80)}", which is not a valid interval.`,
    );
  }
  return { sign: match[1] === '-' ? '-' : '+', amount: BigInt(match[2] ?? '0') };
}
