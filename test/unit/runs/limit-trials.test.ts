import { expect, test } from 'vitest';
import { workspaceId } from '../../../src/kernel/index.ts';
import { createTrialLimit } from '../../../src/runs/trials/limit-trials.ts';

const [ours, theirs] = [workspaceId(1n), workspaceId(2n)];

test('one workspace has four trials under way, and leaves the others theirs', async () => {
  const limit = createTrialLimit();
  const open = Promise.withResolvers<string>();
  const waiting = Array.from({ length: 4 }, () => limit(ours, () => open.promise));
  await expect(limit(ours, async () => 'a fifth')).rejects.toMatchObject({
    code: 'RATE_LIMITED',
    message: expect.stringContaining('of this workspace'),
  });
  expect(await limit(theirs, async () => 'served')).toBe('served');
  open.resolve('ended');
  expect(await Promise.all(waiting)).toEqual(['ended', 'ended', 'ended', 'ended']);
  expect(await limit(ours, async () => 'served')).toBe('served');
});

test('all workspaces have twelve, and a trial that fails gives its place back', async () => {
  const limit = createTrialLimit();
  const open = Promise.withResolvers<never>();
  const waiting = Array.from({ length: 12 }, (_, i) =>
    limit(workspaceId(BigInt(i + 1)), () => open.promise).catch(String),
  );
  await expect(limit(workspaceId(13n), async () => 'one more')).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  open.reject(new Error('lost'));
  expect(new Set(await Promise.all(waiting))).toEqual(new Set(['Error: lost']));
  expect(await limit(workspaceId(13n), async () => 'served')).toBe('served');
});
