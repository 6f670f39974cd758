import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mergeConsent, NO_CONSENT } from '../../../src/identity/profiles/merge-consent.ts';

const purpose = (consented: boolean, at: number | bigint, extra = '') =>
  `{"consented":${consented}${extra},"timestamp_unixtime_ms":${at}}`;
const gdpr = (purposes: Readonly<Record<string, string>>) =>
  `{"gdpr":{${Object.entries(purposes)
    .map(([name, text]) => `${JSON.stringify(name)}:${text}`)
    .join(',')}}}`;

describe('mergeConsent', () => {
  it('keeps the newest of each purpose, whichever arrives first', () => {
    const older = gdpr({ ads: purpose(true, 10), mail: purpose(true, 30) });
    const newer = gdpr({ ads: purpose(false, 20), mail: purpose(false, 20) });
    const expected = gdpr({ ads: purpose(false, 20), mail: purpose(true, 30) });
    expect(mergeConsent(mergeConsent(NO_CONSENT, older), newer)).toBe(expected);
    expect(mergeConsent(mergeConsent(NO_CONSENT, newer), older)).toBe(expected);
  });

  it('lets the later delivery win at equal times', () => {
    const merged = mergeConsent(gdpr({ ads: purpose(true, 10) }), gdpr({ ads: purpose(false, 10) }));
    expect(merged).toBe(gdpr({ ads: purpose(false, 10) }));
  });

  it('leaves purposes and regulations alone that the row does not name', () => {
    const kept = `{"gdpr":{"ads":${purpose(true, 5)}},"ccpa":{"sale":${purpose(false, 5)}}}`;
    expect(mergeConsent(kept, gdpr({ mail: purpose(true, 1) }))).toBe(
      `{"gdpr":{"ads":${purpose(true, 5)},"mail":${purpose(true, 1)}},"ccpa":{"sale":${purpose(false, 5)}}}`,
    );
  });

  it('answers what is kept where nothing changed', () => {
    const kept = gdpr({ ads: purpose(true, 10) });
    expect(mergeConsent(kept, kept)).toBe(kept);
    expect(mergeConsent(kept, gdpr({ ads: purpose(false, 9) }))).toBe(kept);
    expect(mergeConsent(NO_CONSENT, '{"gdpr":{},"ccpa":{}}')).toBe(NO_CONSENT);
  });

  it('compares 64-bit times exactly, and takes no value inside for one', () => {
    const later = 9_007_199_254_740_993n;
    const kept = gdpr({ ads: purpose(true, later, ',"document":"{\\"timestamp_unixtime_ms\\":1}"') });
    expect(mergeConsent(kept, gdpr({ ads: purpose(false, later - 1n) }))).toBe(kept);
    expect(mergeConsent(kept, gdpr({ ads: purpose(false, later + 1n) }))).toBe(
      gdpr({ ads: purpose(false, later + 1n) }),
    );
  });

  it('comes to the same end in any order of arrival', () => {
    const name = fc.constantFrom('a', '__proto__', 'ü"\\', '');
    const state = fc.record({ name, consented: fc.boolean(), at: fc.nat(50) });
    fc.assert(
      fc.property(fc.uniqueArray(state, { selector: ({ name: of, at }) => `${of}/${at}` }), (states) => {
        const arrive = (order: typeof states) =>
          order.reduce((kept, { name: of, consented, at }) => {
            return mergeConsent(kept, gdpr({ [of]: purpose(consented, at) }));
          }, NO_CONSENT);
        expect(JSON.parse(arrive(states))).toEqual(JSON.parse(arrive([...states].reverse())));
      }),
    );
  });
});
