import { expect, it } from 'vitest';
import type { WorkspaceSettings } from '../../../src/access/index.ts';
import { acceptCalls } from '../../../src/events/analytics/accept-calls.ts';
import { SOURCE } from '../../support/batches/batch-door.ts';
import { LIMITS } from '../../support/batches/batches.ts';
import { fakeClock } from '../../support/clocks/fake-clock.ts';

it('reads the calls of a large request in slices, between which others get their turn', async () => {
  let turns = 0;
  let turnsWhenKept = 0;
  let next: NodeJS.Immediate;
  const turn = () => {
    turns++;
    next = setImmediate(turn);
  };
  turn();
  const calls = Array.from({ length: 2_500 }, () => ({ fields: { type: 'track', event: 'x' } }));
  const refusals = await acceptCalls(
    {
      clock: fakeClock(),
      settingsOf: async () => ({ limits: LIMITS }) as WorkspaceSettings,
      batches: {
        admit: async () => 0,
        async keep(_sender, batches) {
          turnsWhenKept = turns;
          return batches.map(() => ({ status: 'duplicate' }));
        },
        accept: () => Promise.reject(new Error('counts the calls once more')),
        drain: async () => undefined,
      },
    },
    { sender: SOURCE, calls, sentAt: undefined },
  ).finally(() => clearImmediate(next));
  expect(refusals).toHaveLength(2_500);
  expect(turnsWhenKept).toBeGreaterThanOrEqual(25);
});
