import { describe, expect, it } from 'vitest';
import { createEvents, type EventBatch, personOfBatch } from '../../../src/events/index.ts';
import { countProfiles, deliverInTransaction, readProfile } from '../../../src/identity/index.ts';
import { parseJson, systemClock } from '../../../src/kernel/index.ts';
import { deliverBatches, mpidsOfBatches, readLog } from '../../support/batches/deliver-batches.ts';
import { fakeClock } from '../../support/clocks/fake-clock.ts';
import { person, SCOPE, testIdentities } from '../../support/people/deliver-people.ts';
import { openTestStore } from '../../support/stores/test-store.ts';

const EVENT = '{"event_type":"custom_event","data":{}}';
const batch = (customerId: string, text = `{"events":[${EVENT}]}`) => ({
  person: person({ customer_id: customerId }),
  text,
});

describe('a delivery of batches', () => {
  it('keeps each under its person’s MPID, with mpid and batch_id in front of the text as it came', async () => {
    await using store = await openTestStore();
    const [ann, ben, again] = mpidsOfBatches(
      await deliverBatches(store, [
        batch('ann', '{"ip":"::1","n":9007199254740993}'),
        batch('ben', '{}'),
        { ...batch('ann', '{"a":"ü"}'), batchId: -9007199254740993n },
      ]),
    );
    expect(again).toBe(ann);
    const rows = await readLog(store);
    expect(rows.map(({ mpid }) => mpid)).toEqual([ann, ben, ann]);
    expect(rows.map(({ text }) => text.replace(/"batch_id":\d+/, '"batch_id":#'))).toEqual([
      `{"mpid":${ann},"batch_id":#,"ip":"::1","n":9007199254740993}`,
      `{"mpid":${ben},"batch_id":#}`,
      `{"mpid":${ann},"batch_id":-9007199254740993,"a":"ü"}`,
    ]);
  });

  it('keeps a batch that names nobody without an MPID and makes no profile', async () => {
    await using store = await openTestStore();
    const nobody = { person: undefined, text: '{"ip":null}' };
    const [first, ann, second, ben] = mpidsOfBatches(
      await deliverBatches(store, [nobody, batch('ann'), nobody, batch('ben')]),
    );
    expect([first, second]).toEqual([undefined, undefined]);
    const rows = await readLog(store);
    expect(rows.map(({ mpid }) => mpid)).toEqual([0n, ann, 0n, ben]);
    expect(rows[0]?.text).toMatch(/^\{"batch_id":\d+,"ip":null\}$/);
    expect(await countProfiles(store, SCOPE)).toBe(2n);
    expect(mpidsOfBatches(await deliverBatches(store, [nobody]))).toEqual([undefined]);
  });

  it('keeps beside each batch who brought it', async () => {
    await using store = await openTestStore();
    await deliverBatches(store, [
      { ...batch('ann', '{"n":1}'), source: { kind: 'pipeline', number: 9007199254740993n } },
      { ...batch('ben', '{"n":2}'), source: { kind: 'input', key: 'the-key' } },
      batch('ann', '{"n":3}'),
    ]);
    const rows = await store.query('SELECT pipeline_number, input_key FROM event_batches ORDER BY received_on, id');
    expect(rows).toEqual([
      { pipeline_number: 9007199254740993n, input_key: null },
      { pipeline_number: null, input_key: 'the-key' },
      { pipeline_number: null, input_key: null },
    ]);
  });

  it('keeps no batch whose person fails, says why, and keeps its neighbours', async () => {
    await using store = await openTestStore();
    const [ann = 0n] = mpidsOfBatches(await deliverBatches(store, [batch('ann')]));
    const unknown = { person: { ...person({}), mpid: 5n }, text: '{"which":"unknown"}' };
    const contradicting = { person: { ...person({ customer_id: 'ben' }), mpid: ann }, text: '{"which":"other"}' };
    const { outcomes } = await deliverBatches(store, [
      batch('ben'),
      unknown,
      contradicting,
      { person: person({}), text: '{"which":"none"}' },
      batch('ann'),
    ]);
    expect(outcomes.map((outcome) => ('rule' in outcome ? outcome.rule : 'kept'))).toEqual([
      'kept',
      'mpid_unknown',
      'mpid_contradicts_login',
      'identity_missing',
      'kept',
    ]);
    expect(await readLog(store)).toHaveLength(3);
  });

  it('is there with its people or not at all', async () => {
    await using store = await openTestStore();
    const events = createEvents({ identities: testIdentities(), clock: systemClock });
    const prepared = await events.prepare(SCOPE, [batch('ann')]);
    const failing = deliverInTransaction(store, SCOPE.workspaceId, async (tx, exclusive) => {
      await events.deliver(tx, prepared, exclusive);
      throw new Error('the worker died here');
    });
    await expect(failing).rejects.toThrow('died');
    const poison = deliverBatches(store, [batch('ann'), batch('ben', '{"a":"\0"}')]);
    await expect(poison).rejects.toMatchObject({ code: 'STORE_DATA' });
    expect([await countProfiles(store, SCOPE), await readLog(store)]).toEqual([0n, []]);
  });

  it('tries again with other ids when another daemon drew the same ones', async () => {
    await using store = await openTestStore();
    const clock = fakeClock();
    const drawing = (...ids: bigint[]) =>
      createEvents({ identities: testIdentities(), clock, nextBatchId: () => ids.shift() ?? 0n });
    for (const events of [drawing(1n), drawing(1n, 2n)]) {
      const prepared = await events.prepare(SCOPE, [batch('ann')]);
      await deliverInTransaction(store, SCOPE.workspaceId, (tx, exclusive) => events.deliver(tx, prepared, exclusive));
    }
    expect((await readLog(store)).map(({ text }) => /"batch_id":(\d+)/.exec(text)?.[1])).toEqual(['1', '2']);
  });

  it('tries again when it lost a race for a new person, and both batches have the one MPID', async () => {
    await using store = await openTestStore();
    const rounds = Array.from({ length: 8 }, (_, i) => deliverBatches(store, [batch('ann'), batch(`c${i}`)]));
    const mpids = (await Promise.all(rounds)).map((delivered) => mpidsOfBatches(delivered)[0]);
    expect(new Set(mpids).size).toBe(1);
    expect(await readLog(store)).toHaveLength(16);
    expect(await countProfiles(store, SCOPE)).toBe(9n);
  });
});

describe('what batches say of a person', () => {
  const RECEIVED_MS = Date.UTC(2026, 5, 1);
  const says = (timeMs: number, rest: string) => {
    const text = `{"user_identities":{"customer_id":"ann"},"timestamp_unixtime_ms":${timeMs},${rest}}`;
    return { person: personOfBatch(parseJson(text) as EventBatch, RECEIVED_MS), text };
  };
  const older = says(
    RECEIVED_MS - 2000,
    '"user_attributes":{"a":1,"b":1,"c":1},"consent_state":{"gdpr":{"ads":{"consented":true,"timestamp_unixtime_ms":10}}}',
  );
  const newer = says(
    RECEIVED_MS - 1000,
    '"user_attributes":{"a":2,"d":2},"deleted_user_attributes":["b"],"consent_state":{"gdpr":{"ads":{"consented":false,"timestamp_unixtime_ms":20}}}',
  );
  // its clock runs ahead: it counts as set when it was received
  const ahead = says(RECEIVED_MS + 3_600_000, '"user_attributes":{"c":3}');

  it.each([
    ['in the order of their times', [older, newer, ahead]],
    ['the other way round', [ahead, newer, older]],
  ])('comes to the same end %s, in one delivery or in several', async (_, batches) => {
    await using store = await openTestStore();
    const development = { ...SCOPE, environment: 'development' } as const;
    const [together = 0n] = mpidsOfBatches(await deliverBatches(store, batches, { scope: development }));
    let apart: bigint | undefined;
    for (const each of batches) [apart] = mpidsOfBatches(await deliverBatches(store, [each]));
    for (const profile of [
      await readProfile(store, SCOPE, apart ?? 0n),
      await readProfile(store, development, together),
    ]) {
      const attributes = profile?.attributes.map(({ name, value, setAt }) => [name, value, Number(setAt / 1000n)]);
      expect(attributes?.sort()).toEqual([
        ['a', '2', RECEIVED_MS - 1000],
        ['c', '3', RECEIVED_MS],
        ['d', '2', RECEIVED_MS - 1000],
      ]);
      expect(profile?.consent).toBe('{"gdpr":{"ads":{"consented":false,"timestamp_unixtime_ms":20}}}');
    }
  });
});
