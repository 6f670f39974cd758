// Batches for tests of checkBatch, and short forms of its results.
import { expect } from 'vitest';
import { DEFAULT_SETTINGS, settingsFromWire } from '../../../src/access/settings/settings.ts';
import { type BatchLimits, checkBatch, type EventType } from '../../../src/events/index.ts';

/** Those of a workspace that set none. */
export const LIMITS: BatchLimits = settingsFromWire(DEFAULT_SETTINGS).limits;

export type Fields = Readonly<Record<string, unknown>>;

/** Paths at fault. */
export const paths = (body: unknown, limits = LIMITS) => checkBatch(body, limits).map(({ path }) => path);
/** The one complaint, as `path: message`. */
export function complaint(body: unknown, limits = LIMITS): string {
  const issues = checkBatch(body, limits);
  expect(issues).toHaveLength(1);
  return issues.map(({ path, message }) => `${path}: ${message}`).join();
}
export const event = (type: string, data: unknown = {}, more: Fields = {}) => ({
  events: [{ event_type: type, data, ...more }],
});
export const many = (count: number, value: unknown = 1) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, value]));

/** The least that each kind of event says. */
export const LEAST: Readonly<Record<EventType, Fields>> = {
  custom_event: { custom_event_type: 'navigation', event_name: 'x' },
  screen_view: { screen_name: 'x' },
  application_state_transition: { application_transition_type: 'application_exit' },
  breadcrumb: { label: 'x' },
  commerce_event: {},
  crash_report: { severity: 'x', message: 'x' },
  first_run: {},
  network_performance: { url: 'x', response_code: 200 },
  opt_out: { is_opted_out: true },
  profile: { previous_mpid: 1, current_mpid: 2, profile_event_type: 'login' },
  push_message: { push_message_token: 'x', push_message_type: 'sent', push_notification_payload: '{}' },
  push_registration: { register: true, registration_token: 'x' },
  session_start: {},
  session_end: { session_duration_ms: 1 },
  uninstall: {},
  user_attribute_change: { user_attribute_name: 'x' },
  user_identity_change: { new: {}, old: {} },
};
