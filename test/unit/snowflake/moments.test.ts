import fc from 'fast-check';
import { expect, it } from 'vitest';
import { timestamp, timestampTz } from '../../../connectors/snowflake/moments.ts';
import { formatMicros } from '../../../src/kernel/index.ts';

const FIRST = BigInt(Date.parse('0001-01-01T00:00:00Z')) * 1000n;
const LAST = BigInt(Date.parse('9999-12-31T23:59:59Z')) * 1000n;

/** As Snowflake writes it: the sign before everything, nine digits. */
function onTheWire(micros: bigint): string {
  const size = micros < 0n ? -micros : micros;
  return `${micros < 0n ? '-' : ''}${size / 1_000_000n}.${String(size % 1_000_000n).padStart(6, '0')}000`;
}

it('reads every microsecond of the years 1 to 9999 as it is', () => {
  fc.assert(
    fc.property(fc.bigInt({ min: FIRST, max: LAST }), (micros) => {
      const text = formatMicros(micros);
      expect(timestampTz(onTheWire(micros))).toBe(text);
      expect(timestampTz(`${onTheWire(micros)} 1020`)).toBe(text);
      expect(timestamp(onTheWire(micros))).toBe(text.slice(0, -1));
    }),
  );
});
