// Parts of a call that are passed over because their place would be refused: ids that are none, and stand-ins for a name.
import { describe, expect, it, test } from 'vitest';
import type { CallFields, CallType } from '../../../src/events/analytics/call-contract.ts';
import { mapCall } from '../../../src/events/analytics/map-call.ts';
import { readCall } from '../../../src/events/analytics/read-call.ts';
import type { EventBatch } from '../../../src/events/index.ts';
import { LIMITS, paths } from '../../support/batches/batches.ts';

const READING = { arrival: { receivedMs: Date.parse('2026-03-01T12:00:00.000Z') }, limits: LIMITS };
const LONG = 'x'.repeat(257);

function mapped(type: CallType, fields: CallFields) {
  const batch = mapCall({ type, fields }, READING);
  expect(paths(batch)).toEqual([]);
  return batch as EventBatch;
}
const dataOf = (type: CallType, fields: CallFields) => mapped(type, fields).events?.[0]?.data;

describe('a page', () => {
  const clefs = '\u{1d11e}'.repeat(256);
  test.each([
    [{ properties: { title: LONG, path: '/a' } }, '/a'],
    [{ properties: { title: LONG, path: LONG }, context: { page: { title: clefs } } }, clefs],
    [{ context: { page: { title: LONG } } }, 'page'],
  ])('is named by the first text that may be a name: %#', (fields, name) => {
    expect(dataOf('page', fields)).toMatchObject({ event_name: name });
  });

  it('keeps a title that is too long for a name among its attributes; its own name has to fit', () => {
    const fields = { properties: { title: LONG, path: '/a' } };
    expect(dataOf('page', fields)).toMatchObject({ custom_attributes: { title: LONG, path: '/a' } });
    const named = mapCall({ type: 'page', fields: { ...fields, name: LONG } }, READING);
    expect(paths(named)).toEqual(['events[0].data.event_name']);
    const stricter = { ...READING, limits: { ...LIMITS, nameCharacters: 3 } };
    const shorter = mapCall({ type: 'page', fields: { properties: { title: 'four', path: '/a' } } }, stricter);
    expect(shorter.events).toMatchObject([{ data: { event_name: '/a' } }]);
  });
});

describe('an id of blanks', () => {
  it('counts as absent, and the next one is taken', () => {
    const context = { traits: { email: 'a@example.com' } };
    const batch = mapped('identify', { userId: 'u', anonymousId: '  ', traits: { email: '  ', phone: ' ' }, context });
    expect(batch.user_identities).toEqual({ customer_id: 'u', email: 'a@example.com' });
    expect(batch).not.toHaveProperty('mp_deviceid');
  });
  it.each(['userId', 'previousId'])('is none that an alias could do without: %s', (name) => {
    const fields = { type: 'alias', userId: 'u', previousId: 'p', [name]: '  ' };
    const read = readCall({ fields }, READING);
    expect(read).toEqual([{ path: name, message: 'is required' }]);
  });
});

describe('the context', () => {
  it('keeps an id that is over 1,024 bytes as a flag', () => {
    const long = { os: { name: 'Android' }, device: { token: 'x'.repeat(1025), id: 'é'.repeat(513) } };
    const { device_info, events } = mapped('track', { event: 'x', context: long });
    expect(device_info).toEqual({ platform: 'Android' });
    expect(events?.[0]?.data).toMatchObject({
      custom_flags: { 'context.device.token': long.device.token, 'context.device.id': long.device.id },
    });
  });
});
