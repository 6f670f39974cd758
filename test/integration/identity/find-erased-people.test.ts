// Records of nobody that are about to be kept: whom they name is looked up without keeping the process from other work.
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { MentionedPerson } from '../../../src/identity/index.ts';
import type { Transaction } from '../../../src/store/index.ts';
import { deliver, mpidsOf, person, SCOPE, testIdentities } from '../../support/people/deliver-people.ts';
import { erase } from '../../support/people/erase-people.ts';
import { openTestStore } from '../../support/stores/test-store.ts';

test('records are taken one by one, the event loop has turns in between, and the erased are found among many', async () => {
  await using store = await openTestStore();
  const [mpid = 0n] = mpidsOf(await deliver(store, [person({ email: 'ann@example.com' })]));
  await erase(store, [mpid]);
  const isOver = new AbortController();
  let turns = 0;
  const others = (async () => {
    for (; !isOver.signal.aborted; turns++) await setImmediate();
  })();
  const seen: number[] = [];
  const record = (index: number): MentionedPerson => {
    seen.push(turns);
    const untypedTexts = Array.from({ length: 50 }, (_, mention) => `person-${index}-${mention}@example.com`);
    return {
      environment: 'production',
      identities: [],
      untypedTexts: index % 100 === 7 ? ['ann@example.com'] : untypedTexts,
    };
  };
  const asked: number[] = [];
  const erased = await store.transaction((tx) => {
    const query: Transaction['query'] = (text, values = []) => {
      if (text.includes('FROM tombstones')) asked.push((values[1] as string[]).length);
      return tx.query(text, values);
    };
    const people = () => Array.from({ length: 300 }).keys().map(record);
    return testIdentities().findErasedPeople({ ...tx, query }, SCOPE.workspaceId, people);
  });
  isOver.abort();
  await others;
  expect([...erased]).toEqual([7, 107, 207]);
  // a turn for every eight records
  expect(new Set(seen).size).toBeGreaterThan(30);
  expect(new Set(seen).size).toBeLessThan(60);
  // an e-mail may be a customer id too, and a look-up ends with the record that brings the ten thousandth key
  expect(asked).toEqual([10_002, 10_002, 9_702]);
});

test('nobody is read where the workspace has no tombstones', async () => {
  await using store = await openTestStore();
  const people = () => {
    throw new Error('nobody was erased');
  };
  const erased = await store.transaction((tx) => testIdentities().findErasedPeople(tx, SCOPE.workspaceId, people));
  expect(erased).toEqual(new Set());
});
