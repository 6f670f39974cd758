import { describe, expect, test } from 'vitest';
import {
  checkSettings,
  completeSettings,
  DEFAULT_SETTINGS,
  settingsFromWire,
} from '../../../src/access/settings/settings.ts';
import { DEFAULT_POLICY } from '../../../src/identity/index.ts';

describe('the defaults of a workspace', () => {
  test('are those of the documentation', () => {
    expect(DEFAULT_SETTINGS).toEqual({
      identity: { strategy: 'profile_conversion', priority: [...DEFAULT_POLICY.priority] },
      limits: {
        batch_bytes: 128 * 1024,
        request_bytes: 256 * 1024,
        attributes_per_event: 100,
        user_attributes_per_batch: 100,
        name_characters: 256,
        value_characters: 4096,
        profile_identities: 1000,
        profile_attributes: 2000,
        profile_attribute_bytes: 512 * 1024,
        batches_per_second: 270,
        subject_requests_per_minute: 1000,
        subject_requests_per_day: 80_000,
      },
      retention: { batches_months: 24, runs_months: 12, failed_records_days: 90, audit_log_months: 12 },
      public_keys: { attributes: 'any' },
      new_login_lifts: false,
      allowed_origins: [],
    });
  });

  test('resolve people as identity does without settings', () => {
    expect(DEFAULT_SETTINGS.identity.priority).toEqual(DEFAULT_POLICY.priority);
    expect(DEFAULT_SETTINGS.identity.strategy).toBe(DEFAULT_POLICY.strategy);
  });

  test('pass their own check', () => {
    expect(() => checkSettings(DEFAULT_SETTINGS)).not.toThrow();
  });
});

describe('settings that were set', () => {
  test('keep the default of what was left out', () => {
    const complete = completeSettings({ limits: { batch_bytes: 1 }, new_login_lifts: true });
    expect(complete).toEqual({
      ...DEFAULT_SETTINGS,
      limits: { ...DEFAULT_SETTINGS.limits, batch_bytes: 1 },
      new_login_lifts: true,
    });
  });

  test('reach other rooms under our names, none lost', () => {
    const { limits, retention, identity, ...rest } = settingsFromWire(DEFAULT_SETTINGS);
    expect(Object.values(limits)).toEqual(Object.values(DEFAULT_SETTINGS.limits));
    expect(Object.values(retention)).toEqual(Object.values(DEFAULT_SETTINGS.retention));
    expect(identity).toEqual(DEFAULT_SETTINGS.identity);
    expect(rest).toEqual({ publicKeys: { attributes: 'any' }, newLoginLifts: false, allowedOrigins: [] });
  });

  test('are refused with every reason at once', () => {
    const wrong = completeSettings({
      identity: { strategy: 'best_match', priority: ['email'] },
      limits: { batch_bytes: 1000, request_bytes: 999 },
    });
    expect(() => checkSettings(wrong)).toThrow(/identity\.priority: .*customer_id.*limits\.request_bytes: .*1000/);
  });
});
