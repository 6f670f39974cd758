// Values that a daemon has read while its clock was ahead are not believed for as long as that clock was ahead.
import { expect, test } from 'vitest';
import { createFindGrant } from '../../../src/access/credentials/find-grant.ts';
import { createFindInput } from '../../../src/access/credentials/find-input.ts';
import { createAllowsOrigin, createSettingsReader, createSigningKeys } from '../../../src/access/index.ts';
import { createFailureWindows, FAILURES_ALLOWED } from '../../../src/access/tokens/failure-windows.ts';
import type { WorkspaceId } from '../../../src/kernel/index.ts';
import type { Store } from '../../../src/store/index.ts';
import { someInput } from '../../support/apis/input-probes.ts';
import { openTestAccess, someWorkspace, type TestAccess } from '../../support/apis/test-access.ts';
import { fakeClock } from '../../support/clocks/fake-clock.ts';

const MONTH_MS = 30 * 86_400_000;

interface Known {
  readonly workspaceId: WorkspaceId;
  readonly clientId: string;
  readonly key: string;
}

const READERS: Readonly<Record<string, (access: TestAccess, known: Known) => () => Promise<unknown>>> = {
  settings: (access, { workspaceId }) => {
    const settingsOf = createSettingsReader(access);
    return () => settingsOf(workspaceId);
  },
  grants: (access, { clientId, workspaceId }) => {
    const find = createFindGrant(access);
    return () => find(clientId, workspaceId);
  },
  inputs: (access, { key }) => {
    const find = createFindInput(access);
    return () => find(key);
  },
  origins: (access) => {
    const allows = createAllowsOrigin(access);
    return () => allows('https://shop.example', undefined);
  },
  'signing keys': (access) => createSigningKeys(access).published,
};

test.each(Object.entries(READERS))('%s are read again', async (_name, readerOf) => {
  await using access = await openTestAccess();
  const { workspaceId, credential } = await someWorkspace(access);
  const input = await someInput(access, workspaceId);
  const { store, reads } = counting(access.store);
  const read = readerOf({ ...access, store }, { workspaceId, clientId: credential?.clientId ?? '', key: input.key });
  access.clock.advance(MONTH_MS);
  await read();
  const before = reads();
  expect(before).toBeGreaterThan(0);
  await read();
  expect(reads()).toBe(before);
  access.clock.advance(-MONTH_MS);
  await read();
  expect(reads()).toBeGreaterThan(before);
});

test('failures of then shut nobody out', () => {
  const clock = fakeClock();
  const windows = createFailureWindows(clock, 'the key');
  clock.advance(MONTH_MS);
  for (let failure = 0; failure < FAILURES_ALLOWED; failure++) windows.count('192.0.2.1');
  expect(() => windows.count('192.0.2.1')).toThrow(/Too many attempts/);
  clock.advance(-MONTH_MS);
  windows.count('192.0.2.1');
});

function counting(store: Store) {
  let reads = 0;
  const counted = new Proxy(store, {
    get(target, name) {
      if (name === 'query' || name === 'orm') reads += 1;
      return Reflect.get(target, name);
    },
  });
  return { store: counted, reads: () => reads };
}
