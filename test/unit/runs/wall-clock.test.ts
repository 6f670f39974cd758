import fc from 'fast-check';
import { Temporal } from 'temporal-polyfill';
import { describe, expect, it } from 'vitest';
import { formatMicros, instantFromStore } from '../../../src/kernel/index.ts';
import { createZone, utcMicros } from '../../../src/mapping/range/wall-clock.ts';

const at = instantFromStore;

describe('a zone', () => {
  it('shows instants as a clock on the wall does, to the microsecond', () => {
    const zone = createZone('America/Los_Angeles');
    expect(zone.wallOf(at('2024-07-01T07:00:00.000001Z'))).toBe('2024-07-01T00:00:00.000001');
    expect(zone.dateOf(at('2024-07-01T06:59:59.999999Z'))).toBe('2024-06-30');
    expect(formatMicros(zone.startOfDay(at('2024-07-01T12:00:00Z')))).toBe('2024-07-01T07:00:00.000000Z');
    expect(zone.startOfDate('2024-01-01')).toBe(at('2024-01-01T08:00:00Z'));
  });

  it('reads wall times: the first of two in a fold, moved forward out of a gap', () => {
    const { instantOf } = createZone('America/Los_Angeles');
    expect(instantOf('2024-11-03T01:30:00.000000')).toBe(at('2024-11-03T08:30:00Z'));
    expect(instantOf('2024-03-10T02:30:00.000000')).toBe(at('2024-03-10T10:30:00Z'));
    expect(instantOf('infinity')).toBeUndefined();
  });

  it('reads back every wall time that is shown once', () => {
    for (const name of ['UTC', 'America/Los_Angeles', 'Australia/Lord_Howe', 'Africa/Monrovia']) {
      const zone = createZone(name);
      const span = fc.bigInt({ min: at('1950-01-01T00:00:00Z'), max: at('2080-01-01T00:00:00Z') });
      fc.assert(
        fc.property(span, (instant) => {
          if (zone.beforeFold(instant) !== instant) return;
          expect(zone.instantOf(zone.wallOf(instant))).toBe(instant);
        }),
        { numRuns: 60 },
      );
    }
  });

  it('refuses a name that is no zone', () => {
    expect(() => createZone('Mars/Olympus')).toThrow(RangeError);
  });
});

describe('utcMicros', () => {
  it('reads six digits exactly, whatever the process zone', () => {
    expect(utcMicros('2024-02-29T23:59:59.999999Z')).toBe(at('2024-02-29T23:59:59.999999Z'));
    expect(utcMicros('1969-12-31T23:59:59.999999')).toBe(-1n);
    expect(utcMicros('9999-12-31T23:59:59.999999')).toBe(253402300799999999n);
  });

  it('says nothing about other texts', () => {
    for (const text of ['', 'infinity', '2024-01-01', '2024-01-01Txx:00:00.000000', '-infinity-infinity-infinity']) {
      expect(utcMicros(text)).toBeUndefined();
    }
  });
});

describe('times at the ends of the time line', () => {
  it('are read in the years 1 to 99 as in any other, and in no year 0', () => {
    expect(utcMicros('0001-01-01T00:00:00.000000')).toBe(at('0001-01-01T00:00:00Z'));
    expect(utcMicros('0099-12-31T23:59:59.999999Z')).toBe(at('0099-12-31T23:59:59.999999Z'));
    expect(utcMicros('0004-02-29T00:00:00.000000')).toBe(at('0004-02-29T00:00:00Z'));
    expect(utcMicros('0000-12-31T00:00:00.000000')).toBeUndefined();
    for (const name of ['UTC', 'Asia/Tokyo']) expect(createZone(name).startOfDate('0000-12-31')).toBeUndefined();
  });

  it('are read before 1970 beside a clock that jumps as the calendar library reads them', () => {
    const walls = fc.record({
      zone: fc.constantFrom(
        'America/New_York',
        'Europe/London',
        'Africa/Monrovia',
        'Asia/Tokyo',
        'Australia/Lord_Howe',
      ),
      at: fc.bigInt({ min: at('1883-01-01T00:00:00Z'), max: at('1975-01-01T00:00:00Z') }),
      minutes: fc.integer({ min: -90, max: 90 }),
    });
    fc.assert(
      fc.property(walls, ({ zone, at: instant, minutes }) => {
        const clock = createZone(zone);
        const jump = Temporal.Instant.fromEpochNanoseconds(instant * 1000n)
          .toZonedDateTimeISO(zone)
          .getTimeZoneTransition('next');
        if (jump === null) return;
        const wall = jump.toPlainDateTime().add({ minutes });
        const text = wall.toString({ fractionalSecondDigits: 6 });
        expect(clock.instantOf(text)).toBe(wall.toZonedDateTime(zone).epochNanoseconds / 1000n);
      }),
      { numRuns: 200, examples: [[{ zone: 'America/New_York', at: at('1955-04-20T00:00:00Z'), minutes: -10 }]] },
    );
  });
});
