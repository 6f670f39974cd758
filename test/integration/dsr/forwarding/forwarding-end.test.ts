// Forwards at the end of their request: a cancel, the completion, and what is left then (D-061, D-068).
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { endForwards } from '../../../../src/dsr/forwarding/end-forwards.ts';
import type { ForwardDeps } from '../../../../src/dsr/forwarding/send-forwards.ts';
import { dsrSealedTables } from '../../../../src/dsr/index.ts';
import { openSubject } from '../../../../src/dsr/request.ts';
import { ADA, type Forwarding, openForwarding } from '../../../support/apis/forwarding.ts';
import { testKeyRing } from '../../../support/apis/test-access.ts';
import { reencryptAll } from '../../../support/stores/reencrypt-all.ts';

const DAY_MS = 86_400_000;

let world: Forwarding;
beforeAll(async () => {
  world = await openForwarding();
});
afterAll(() => world[Symbol.asyncDispose]());
beforeEach(() => world.reset());

describe('what is forwarded', () => {
  test('is kept encrypted until it is sent', async () => {
    await world.addPartner();
    await world.receive();
    const [row] = await world.stored();
    expect(row?.body).toMatch(/^test\./);
  });

  test('stays sent after a cancel', async () => {
    await world.addPartner();
    const request = await world.receive();
    await world.send(request);
    await world.move(request, 'cancelled');
    expect(await world.extensions(request)).toEqual([['sent', '']]);
  });

  test('is not sent any more after a cancel', async () => {
    await world.addPartner();
    const request = await world.receive();
    await world.move(request, 'cancelled');
    await world.send(request);
    expect(world.partner.received).toEqual([]);
    expect(await world.extensions(request)).toEqual([
      ['skipped', 'The request was cancelled before it was forwarded.'],
    ]);
    expect(await world.stored()).toEqual([{ body: null, detail: null, due: null }]);
  });

  test('and was under way during a cancel is told as it was: sent', async () => {
    await world.addPartner();
    const request = await world.receive();
    const outgoing: ForwardDeps['outgoing'] = {
      async call(asked) {
        const answer = await world.deps.outgoing.call(asked);
        await world.move(request, 'cancelled');
        return answer;
      },
    };
    await world.send(request, { outgoing });
    expect(await world.extensions(request)).toEqual([['sent', '']]);
  });

  test('and failed during the completion keeps nothing that names the person', async () => {
    await world.addPartner();
    const request = await world.receive();
    world.partner.answer = { status: 500, body: 'something personal' };
    const outgoing: ForwardDeps['outgoing'] = {
      async call(asked) {
        const answer = await world.deps.outgoing.call(asked);
        await world.access.store.transaction((tx) => endForwards(tx, { ...request, status: 'completed' }));
        return answer;
      },
    };
    await world.send(request, { outgoing });
    expect(await world.extensions(request)).toEqual([['failed', 'The partner answered 500 Internal Server Error']]);
    expect(await world.stored()).toEqual([{ body: null, detail: null, due: null }]);
  });

  test('keeps its status after the completion, and nothing else', async () => {
    await world.addPartner('ads');
    const request = await world.receive();
    world.partner.answer = { status: 500, body: 'something personal' };
    await world.send(request);
    await world.addPartner('mail');
    await world.move(request, 'completed');
    expect(await world.extensions(request)).toEqual([['failed', 'The partner answered 500 Internal Server Error']]);
    expect(await world.stored()).toEqual([{ body: null, detail: null, due: null }]);
    world.access.clock.advance(DAY_MS);
    await world.send(request);
    expect(world.partner.received).toHaveLength(1);
  });

  test('and never sent before the completion has failed', async () => {
    await world.addPartner();
    const request = await world.receive();
    await world.move(request, 'completed');
    expect(await world.extensions(request)).toEqual([
      ['failed', 'The request was not sent before the erasure was completed.'],
    ]);
  });

  test('is written anew with another encryption key, and sent when the old one is gone', async () => {
    await world.addPartner('mail', { auth: { type: 'bearer', token: 't-1' } });
    const request = await world.receive();
    const { store } = world.access;
    const tables = dsrSealedTables.filter(({ table }) => table !== 'dsr_certificates');
    const again = () => reencryptAll(store, testKeyRing('next', 'test'), tables);
    expect(await again()).toEqual({ dsr_requests: 1, dsr_forwards: 1, dsr_partners: 1 });
    expect(await again()).toEqual({ dsr_requests: 0, dsr_forwards: 0, dsr_partners: 0 });
    await world.send(request, { keyRing: testKeyRing('next') });
    expect(world.partner.received[0]?.headers.authorization).toBe('Bearer t-1');
    const [row] = await store.query<{ subject: string }>('SELECT subject FROM dsr_requests');
    expect(openSubject(testKeyRing('next'), { ...request, subject: row?.subject ?? '' })).toEqual(ADA);
  });
});
