import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { forwardContext } from '../../../src/dsr/forwarding/queue-forwards.ts';
import { dsrSealedTables } from '../../../src/dsr/index.ts';
import { openSubject, sealEncodedRequest, sealSubject } from '../../../src/dsr/request.ts';
import { Secret } from '../../../src/kernel/index.ts';
import { reencryptTable, type SealedTable, type Sql, type Store } from '../../../src/store/index.ts';
import { insertRequest } from '../../support/apis/dsr-requests.ts';
import { testKeyRing } from '../../support/apis/test-access.ts';
import { SCOPE } from '../../support/people/deliver-people.ts';
import { openTestStore } from '../../support/stores/test-store.ts';

const { workspaceId } = SCOPE;
const OLD = testKeyRing('test');
const BOTH = testKeyRing('next', 'test');

let store: Store;
beforeAll(async () => {
  store = await openTestStore();
});
afterAll(() => store[Symbol.asyncDispose]());
beforeEach(() => store.execute('DELETE FROM dsr_requests'));

const ofRequests = dsrSealedTables.find(({ table }) => table === 'dsr_requests') as SealedTable;

/** A request whose two texts were written with these keys. */
async function someRequest(subjectKeys = OLD, bodyKeys = OLD): Promise<string> {
  const key = { workspaceId, id: randomUUID() };
  const subject = sealSubject(subjectKeys, key, { identities: [], mpids: [7n] });
  await insertRequest(store, { ...key, subject, encodedRequest: sealEncodedRequest(bodyKeys, key, '{}') });
  return key.id;
}

interface Stored {
  readonly id: string;
  readonly subject: string;
  readonly encoded_request: string;
}

const stored = () => store.query<Stored>('SELECT id, subject, encoded_request FROM dsr_requests');

/** What is old in the store. */
async function oldTexts(): Promise<readonly string[]> {
  const texts = (await stored()).flatMap(({ subject, encoded_request }) => [subject, encoded_request]);
  return texts.filter((text) => BOTH.needsRotation(text));
}

/** The store, whose reads go through `onRows` before anybody gets their rows. */
function watched(onRows: (rows: readonly object[]) => Promise<void> | void): Sql & Pick<Store, 'transaction'> {
  const query =
    (sql: Sql): Sql['query'] =>
    async <Row extends object>(text: string, values?: Parameters<Sql['query']>[1]) => {
      const rows = await sql.query<Row>(text, values);
      await onRows(rows);
      return rows;
    };
  return {
    ...{ orm: store.orm, execute: (text, values) => store.execute(text, values), query: query(store) },
    transaction: (work, options) => store.transaction((tx) => work({ ...tx, query: query(tx) }), options),
  };
}

test('all rows are written anew, read a page at a time', async () => {
  for (let index = 0; index < 101; index++) await someRequest();
  const sizes: number[] = [];
  const done = await reencryptTable(
    watched((rows) => void sizes.push(rows.length)),
    BOTH,
    ofRequests,
  );
  expect(done).toEqual({ written: 101, unreadable: 0, examples: [] });
  expect(sizes).toEqual([50, 50, 1]);
  expect(await oldTexts()).toEqual([]);
  expect(await reencryptTable(store, BOTH, ofRequests)).toMatchObject({ written: 0 });
});

test('a row that is old in one of its columns is written anew', async () => {
  await someRequest(BOTH, OLD);
  await someRequest(OLD, BOTH);
  expect(await reencryptTable(store, BOTH, ofRequests)).toMatchObject({ written: 2 });
  expect(await oldTexts()).toEqual([]);
});

test('what was stopped goes on with what is left', async () => {
  for (let index = 0; index < 60; index++) await someRequest();
  const stopping = watched((rows) => {
    if (rows.length < 50) throw new Error('The store is gone.');
  });
  await expect(reencryptTable(stopping, BOTH, ofRequests)).rejects.toThrow('The store is gone.');
  expect(await reencryptTable(store, BOTH, ofRequests)).toMatchObject({ written: 10 });
  expect(await oldTexts()).toEqual([]);
});

test('a row that is changed meanwhile keeps the change, and is written anew all the same', async () => {
  const id = await someRequest();
  let changes = 3;
  const other = watched(async () => {
    changes -= 1;
    if (changes < 0) return;
    const subject = sealSubject(OLD, { workspaceId, id }, { identities: [], mpids: [BigInt(changes)] });
    await store.execute('UPDATE dsr_requests SET subject = $1', [subject]);
  });
  expect(await reencryptTable(other, BOTH, ofRequests)).toMatchObject({ written: 1 });
  const [{ subject } = { subject: '' }] = await stored();
  expect(openSubject(testKeyRing('next'), { workspaceId, id, subject })?.mpids).toEqual([0n]);
});

test('a row that goes meanwhile is passed over', async () => {
  await someRequest();
  const other = watched(async () => void (await store.execute('DELETE FROM dsr_requests')));
  expect(await reencryptTable(other, BOTH, ofRequests)).toEqual({ written: 0, unreadable: 0, examples: [] });
});

test('rows whose key is not configured stay, are counted, and hold up no other', async () => {
  const lost: string[] = [];
  for (let index = 0; index < 7; index++) lost.push(await someRequest(testKeyRing('lost'), OLD));
  await someRequest();
  const done = await reencryptTable(store, BOTH, ofRequests);
  expect(done).toMatchObject({ written: 1, unreadable: 7 });
  expect(done.examples).toHaveLength(5);
  expect(lost.map((id) => `${workspaceId}/${id}`)).toEqual(expect.arrayContaining([...done.examples]));
});

test('a text moved to another row is no secret of that row, and stays', async () => {
  await someRequest();
  const id = await someRequest();
  const body = OLD.encrypt(new Secret('{}'), forwardContext({ workspaceId, requestId: id, partnerId: 'mail' }));
  await store.execute('UPDATE dsr_requests SET subject = $2 WHERE id = $1', [id, body]);
  const done = await reencryptTable(store, BOTH, ofRequests);
  expect(done).toEqual({ written: 1, unreadable: 1, examples: [`${workspaceId}/${id}`] });
});
