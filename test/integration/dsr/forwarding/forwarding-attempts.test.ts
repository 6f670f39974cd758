// Attempts to forward an erasure: the meaning of their answers, and the time of the next one (D-068).
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { deletePartner, replacePartner } from '../../../../src/dsr/forwarding/save-partner.ts';
import { createOutgoing } from '../../../../src/http/index.ts';
import { type Forwarding, openForwarding } from '../../../support/apis/forwarding.ts';
import { outgoingToPartner } from '../../../support/apis/test-partner.ts';

const MINUTE_MS = 60_000;

let world: Forwarding;
beforeAll(async () => {
  world = await openForwarding();
});
afterAll(() => world[Symbol.asyncDispose]());
beforeEach(() => world.reset());

describe('an attempt', () => {
  test.each([401, 403, 404, 500, 503, 429])(
    'that is answered %i failed with the answer, and is made again',
    async (status) => {
      await world.addPartner();
      const request = await world.receive();
      world.partner.answer = { status, body: 'no\n such   thing' };
      await world.send(request);
      expect(await world.extensions(request)).toEqual([
        ['failed', expect.stringMatching(`^The partner answered ${status} .*: no such thing$`)],
      ]);
      await world.send(request);
      expect(world.partner.received).toHaveLength(1);
      world.access.clock.advance(MINUTE_MS);
      world.partner.answer = { status: 200 };
      await world.send(request);
      expect(await world.extensions(request)).toEqual([['sent', '']]);
      expect(world.partner.received[1]?.body).toBe(world.partner.received[0]?.body);
      expect(await world.stored()).toEqual([{ body: null, detail: null, due: null }]);
    },
  );

  test('waits twice as long each time, and six hours at most', async () => {
    await world.addPartner();
    const request = await world.receive();
    world.partner.answer = { status: 500 };
    const waits: number[] = [];
    for (let n = 0; n < 12; n++) {
      await world.send(request);
      const waitMs = ((await world.stored())[0]?.due?.getTime() ?? 0) - world.access.clock.nowMs();
      waits.push(waitMs / MINUTE_MS);
      world.access.clock.advance(waitMs);
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 360, 360, 360]);
  });

  test('keeps no identity that the partner’s answer repeats', async () => {
    await world.addPartner('mail', { identity_types: ['email', 'other2'] });
    const request = await world.receive();
    const base64 = Buffer.from('Ada@example.com').toString('base64');
    world.partner.answer = { status: 400, body: `ada@EXAMPLE.com, Ada%40example.com, ${base64} and o+2/= are unknown` };
    await world.send(request);
    expect(await world.extensions(request)).toEqual([
      ['failed', 'The partner answered 400 Bad Request: ***, ***, *** and *** are unknown'],
    ]);
  });

  test('whose connection breaks off failed and says so', async () => {
    await world.addPartner();
    const request = await world.receive();
    world.partner.answer = { status: 0 };
    await world.send(request);
    expect(await world.extensions(request)).toEqual([
      ['failed', expect.stringMatching(/localhost|answer|connection/i)],
    ]);
  });

  test('to a partner whose URL leads inside by now is refused and made again', async () => {
    await world.addPartner();
    const request = await world.receive();
    await world.send(request, { outgoing: createOutgoing({ allowedHosts: [] }) });
    expect(await world.extensions(request)).toEqual([['failed', expect.stringContaining('leads to this machine')]]);
    expect(world.partner.received).toEqual([]);
  });

  test.each([
    [409, 'in progress'],
    [400, '{"message":"Subject request already exists."}'],
  ])('that repeats one is sent when the answer is %i %s', async (status, text) => {
    await world.addPartner();
    const request = await world.receive();
    world.partner.answer = { status, body: text };
    await world.send(request);
    expect((await world.extensions(request))?.[0]?.[0]).toBe('failed');
    world.access.clock.advance(MINUTE_MS);
    await world.send(request);
    expect(await world.extensions(request)).toEqual([['sent', '']]);
  });

  test('uses what the partner’s configuration says by now', async () => {
    await world.addPartner('mail', { auth: { type: 'bearer', token: 'old' } });
    const request = await world.receive();
    world.partner.answer = { status: 401 };
    await world.send(request);
    const put = { id: 'mail', body: world.bodyOf('mail', { auth: { type: 'bearer', token: 'new' } }) };
    await replacePartner({ ...world.access, outgoing: outgoingToPartner() }, world.caller, put);
    world.partner.answer = { status: 202 };
    world.access.clock.advance(MINUTE_MS);
    await world.send(request);
    expect(world.partner.received.map(({ headers }) => headers.authorization)).toEqual(['Bearer old', 'Bearer new']);
  });

  test('to a partner that was removed is not made', async () => {
    await world.addPartner();
    const request = await world.receive();
    await deletePartner(world.access, world.caller, 'mail');
    await world.send(request);
    expect(world.partner.received).toEqual([]);
    expect(await world.extensions(request)).toEqual([['failed', 'The partner was removed.']]);
    expect(await world.stored()).toEqual([{ body: null, detail: null, due: null }]);
  });

  test('of two daemons at once is one daemon’s', async () => {
    await world.addPartner();
    const request = await world.receive();
    await Promise.all([world.send(request), world.send(request), world.send(request)]);
    expect(world.partner.received).toHaveLength(1);
  });

  test('comes at once when a clock that ran ahead has put it off for long', async () => {
    await world.addPartner();
    const request = await world.receive();
    await world.access.store.execute(
      "UPDATE dsr_forwards SET next_attempt_on = next_attempt_on + interval '13 hours' WHERE workspace_id = $1",
      [world.caller.workspaceId],
    );
    await world.send(request);
    expect(await world.extensions(request)).toEqual([['sent', '']]);
  });

  test('does not begin when the daemon goes down, and nothing is said about the partner', async () => {
    await world.addPartner();
    const request = await world.receive();
    await world.send(request, {}, AbortSignal.abort());
    expect(await world.extensions(request)).toEqual([['pending', '']]);
  });
});
