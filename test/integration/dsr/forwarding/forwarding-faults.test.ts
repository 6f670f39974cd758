// Fault points of forwarding: at each statement, commit and call the daemon dies, and another takes over.
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { queueForwards } from '../../../../src/dsr/forwarding/queue-forwards.ts';
import { sealSubject } from '../../../../src/dsr/request.ts';
import { insertRequest } from '../../../support/apis/dsr-requests.ts';
import { ADA, type Forwarding, openForwarding } from '../../../support/apis/forwarding.ts';
import { dieEverywhere, Killed, mortal } from '../../../support/crashes/mortal.ts';

const LEASE_MS = 2 * 60_000;

let world: Forwarding;
beforeAll(async () => {
  world = await openForwarding();
});
afterAll(() => world[Symbol.asyncDispose]());
beforeEach(() => world.reset());

describe('a daemon that is killed', () => {
  test('at any point of the receipt leaves the request with its forwards, or neither', async () => {
    const points = await dieEverywhere({
      begin: async () => {
        await world.access.store.execute('DELETE FROM dsr_partners');
        await world.addPartner('ads');
        await world.addPartner('mail');
        return crypto.randomUUID();
      },
      async work(id, dieAt) {
        const life = mortal(world.access.store, undefined, dieAt);
        const { keyRing, clock } = world.access;
        const key = { workspaceId: world.caller.workspaceId, id };
        const values = { ...key, type: 'erasure' as const, subject: sealSubject(keyRing, key, ADA) };
        await life.store
          .transaction(async (tx) => {
            const request = await insertRequest(tx, { ...values, receivedOn: new Date(clock.nowMs()) });
            await queueForwards(tx, keyRing, request);
          })
          .catch(whenKilled);
        return life;
      },
      async afterDeath(id) {
        const requests = await world.access.store.query('SELECT 1 FROM dsr_requests WHERE id = $1', [id]);
        const forwards = await world.access.store.query('SELECT 1 FROM dsr_forwards WHERE request_id = $1', [id]);
        expect(forwards).toHaveLength(2 * requests.length);
      },
    });
    expect(points).toEqual(['before a transaction', 'before a commit', 'after a commit']);
  });

  test('at any point of the sending is followed by another, and the partner is told at least once, the same bytes', async () => {
    const points = await dieEverywhere({
      async begin() {
        await world.access.store.execute('DELETE FROM dsr_partners');
        await world.addPartner();
        world.partner.received.length = 0;
        return await world.receive();
      },
      async work(request, dieAt) {
        const life = mortal(world.access.store, world.deps.outgoing, dieAt);
        await world.send(request, { store: life.store, outgoing: life.outgoing }).catch(whenKilled);
        return life;
      },
      async afterDeath(request, point) {
        const [before] = (await world.extensions(request)) ?? [];
        // sent is said of nothing that the partner has not received
        if (before?.[0] === 'sent') expect(world.partner.received, point).toHaveLength(1);
        world.access.clock.advance(LEASE_MS);
        await world.send(request);
        expect([point, await world.extensions(request)]).toEqual([point, [['sent', '']]]);
        const bodies = new Set(world.partner.received.map((received) => received.body));
        expect([point, bodies.size]).toEqual([point, 1]);
      },
    });
    expect(points).toEqual([
      'before SELECT partner_id AS',
      'after SELECT partner_id AS',
      'before UPDATE dsr_forwards SET',
      'after UPDATE dsr_forwards SET',
      'before a call',
      'after a call',
      'before UPDATE dsr_forwards SET',
      'after UPDATE dsr_forwards SET',
    ]);
  });
});

function whenKilled(error: unknown): void {
  if (!(error instanceof Killed)) throw error;
}
