// Files of access and portability requests: what is in them, and that nobody sees half of one.
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { deleteHiddenFiles, expireResultFiles, hideFilesOf } from '../../../src/dsr/result/drop-result-files.ts';
import type { FoundPerson } from '../../../src/dsr/result/file-entries.ts';
import { openResultFile } from '../../../src/dsr/result/read-result-file.ts';
import { addPart, beginFile, publishFile, type WrittenFile } from '../../../src/dsr/result/result-file.ts';
import { writeResultFile } from '../../../src/dsr/result/write-result-file.ts';
import { createIdSource, createLog, parseJson, workspaceId } from '../../../src/kernel/index.ts';
import type { Store } from '../../../src/store/index.ts';
import { insertRequest } from '../../support/apis/dsr-requests.ts';
import { deliverBatches, mpidsOfBatches } from '../../support/batches/deliver-batches.ts';
import { type FakeClock, fakeClock } from '../../support/clocks/fake-clock.ts';
import { deliver, mpidsOf, person, SCOPE } from '../../support/people/deliver-people.ts';
import { requestsOf } from '../../support/people/identity-requests.ts';
import { readZip } from '../../support/runner/read-zip.ts';
import { openTestStore } from '../../support/stores/test-store.ts';

const DAY_MS = 86_400_000;
const EXPIRES_ON = new Date(Date.UTC(2026, 0, 22, 12));
const DEVELOPMENT = { ...SCOPE, environment: 'development' } as const;
const TABLES = [
  'event_batches',
  'profiles',
  'profile_identities',
  'dsr_requests',
  'dsr_result_files',
  'dsr_result_parts',
];

let store: Store;
let clock: FakeClock;
beforeAll(async () => {
  store = await openTestStore();
});
afterAll(() => store[Symbol.asyncDispose]());
beforeEach(async () => {
  clock = fakeClock();
  for (const table of TABLES) await store.execute(`DELETE FROM ${table}`);
});

const never = () => new AbortController().signal;

function deps(log = createLog('silent')) {
  return { store, clock, log, nextId: createIdSource(clock) };
}

type Asked = Awaited<ReturnType<typeof insertRequest>>;

async function write(request: Asked, people: readonly FoundPerson[]): Promise<WrittenFile> {
  const file = await writeResultFile(deps(), request, { people, signal: never() });
  if (file === undefined) throw new Error('no file was written');
  return file;
}

const publish = (file: WrittenFile) => store.transaction((tx) => publishFile(tx, file, EXPIRES_ON));

async function download(request: Asked): Promise<Buffer> {
  const file = await openResultFile({ store, clock }, { workspaceId: SCOPE.workspaceId, requestId: request.id });
  const bytes = await buffer(file.bytes);
  expect(bytes.length).toBe(file.sizeBytes);
  return bytes;
}

const contents = async (request: Asked) => await readZip(await download(request));
const linesOf = (text: string | undefined) => (text ?? '').trimEnd().split('\n');
const countParts = async () => (await store.query('SELECT 1 FROM dsr_result_parts')).length;

async function somebody(scope = SCOPE): Promise<FoundPerson> {
  const [mpid = 0n] = mpidsOf(await deliver(store, [person({ email: 'ada@example.com' }, { age: '36' })], scope));
  return { environment: scope.environment, mpid };
}

describe('the file of a request', () => {
  test('holds the profiles of both environments with identities, attributes and their times, and consent', async () => {
    const consent = '{"gdpr":{"ads":{"consented":true,"timestamp_unixtime_ms":5}}}';
    const given = {
      ...person({ email: 'Ada@example.com', customer_id: 'a1' }, { big: '12345678901234567890' }, 1_500n),
      consent,
    };
    const [mpid = 0n] = mpidsOf(await deliver(store, [given]));
    await requestsOf(store).modify(mpid, [['customer_id', 'a1', 'a2']]);
    const other = await somebody(DEVELOPMENT);
    const request = await insertRequest(store);
    await publish(await write(request, [{ environment: 'production', mpid }, other]));
    const [first, second] = linesOf((await contents(request)).get('profile.jsonl')).map((line) => parseJson(line));
    expect(first).toMatchObject({
      mpid: String(mpid),
      environment: 'production',
      identities: expect.arrayContaining([
        { identity_type: 'customer_id', identity: 'a2' },
        { identity_type: 'email', identity: 'Ada@example.com' },
      ]),
      former_identities: [{ identity_type: 'customer_id', identity: 'a1' }],
      attributes: [{ name: 'big', value: 12345678901234567890n, set_on: '1970-01-01T00:00:00.001500Z' }],
      consent_state: { gdpr: { ads: { consented: true, timestamp_unixtime_ms: 5 } } },
    });
    const nothing = { consent_state: null, former_identities: [] };
    expect(second).toMatchObject({ mpid: String(other.mpid), environment: 'development', ...nothing });
  });

  test('holds one stored batch a line, with every digit, of these people alone', async () => {
    const batch = (value: string, email: string) => ({
      text: `{"user_identities":{"email":"${email}"},"user_attributes":{"n":${value}}}`,
      person: person({ email }),
    });
    const kept = mpidsOfBatches(
      await deliverBatches(store, [
        batch('1.50', 'ada@example.com'),
        batch('12345678901234567890', 'ada@example.com'),
        batch('3', 'bob@example.com'),
      ]),
    );
    const mpid = kept[0] as bigint;
    const request = await insertRequest(store);
    await publish(await write(request, [{ environment: 'production', mpid }]));
    const entries = await contents(request);
    const rows = await store.query<{ text: string }>(
      'SELECT text FROM event_batches WHERE workspace_id = $1 AND mpid = $2 ORDER BY received_on DESC, id DESC',
      [SCOPE.workspaceId, mpid],
    );
    expect([...entries.keys()]).toEqual(['profile.jsonl', 'batches-0001.jsonl']);
    expect(linesOf(entries.get('batches-0001.jsonl'))).toEqual(rows.map(({ text }) => text));
    expect(entries.get('batches-0001.jsonl')).toContain('"n":12345678901234567890}');
  });

  test('holds every batch once, over pages, months and both environments', async () => {
    const people: FoundPerson[] = [await somebody(), await somebody(DEVELOPMENT)];
    const months = ['2026-01-03', '2025-12-31', '2025-11-30'];
    for (const [index, { mpid }] of people.entries()) {
      for (const month of months) {
        await store.execute(
          `INSERT INTO event_batches (workspace_id, mpid, received_on, id, environment, text)
           SELECT $1, $2, $3::timestamptz, g, $4, '{"batch_id":' || g || ',"of":"' || $5 || '"}' FROM generate_series(1, 2500) g`,
          [SCOPE.workspaceId, mpid, month, index, month],
        );
      }
    }
    const request = await insertRequest(store);
    await publish(await write(request, people));
    const lines = linesOf((await contents(request)).get('batches-0001.jsonl'));
    expect(lines).toHaveLength(2 * 3 * 2500);
    expect(new Set(lines)).toHaveLength(3 * 2500);
    expect(lines.slice(0, 2)).toEqual(['{"batch_id":2500,"of":"2026-01-03"}', '{"batch_id":2499,"of":"2026-01-03"}']);
  });

  test('is empty.txt where the MPID has no data', async () => {
    const request = await insertRequest(store);
    await publish(await write(request, [{ environment: 'production', mpid: 5n }]));
    expect([...(await contents(request))]).toEqual([['empty.txt', 'No data is stored about MPID 5 (production).\n']]);
  });

  test('is not there where nobody was found, and the log says so without a name', async () => {
    const lines: string[] = [];
    const log = createLog('info', { write: (line) => void lines.push(line) });
    const request = await insertRequest(store);
    const file = await writeResultFile(deps(log), request, { people: [], signal: never() });
    expect(file).toBeUndefined();
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ msg: 'dsr.nobody_found', request: request.id }]);
  });

  test('is written and read in parts of about 256 KiB', async () => {
    const { mpid } = await somebody();
    const noise = Array.from({ length: 2000 }, () => `{"n":"${crypto.randomUUID().repeat(20)}"}`);
    await store.execute(
      `INSERT INTO event_batches (workspace_id, mpid, received_on, id, environment, text)
       SELECT $1, $2, '2026-01-03', ordinal, 0, text FROM unnest($3::text[]) WITH ORDINALITY AS t (text, ordinal)`,
      [SCOPE.workspaceId, mpid, noise.map((text) => text.replace(/-/g, () => Math.random().toString(36)))],
    );
    const request = await insertRequest(store);
    const file = await write(request, [{ environment: 'production', mpid }]);
    await publish(file);
    const sizes = await store.query<{ size: number }>(
      'SELECT octet_length(bytes) AS size FROM dsr_result_parts ORDER BY part',
    );
    expect(sizes.length).toBe(file.parts);
    expect(file.parts).toBeGreaterThan(2);
    expect(Math.max(...sizes.map(({ size }) => size))).toBeLessThan(400 * 1024);
    expect(linesOf((await contents(request)).get('batches-0001.jsonl'))).toHaveLength(2000);
  });
});

describe('nobody sees a file', () => {
  test('before it is published with its request', async () => {
    const request = await insertRequest(store);
    await write(request, [await somebody()]);
    await expect(download(request)).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('of another workspace', async () => {
    const request = await insertRequest(store);
    await publish(await write(request, [await somebody()]));
    const asked = openResultFile({ store, clock }, { workspaceId: workspaceId(8n), requestId: request.id });
    await expect(asked).rejects.toMatchObject({ code: 'NOT_FOUND' });
  });

  test('whose transaction is rolled back, nor does its request', async () => {
    const request = await insertRequest(store);
    const file = await write(request, [await somebody()]);
    const failing = store.transaction(async (tx) => {
      await publishFile(tx, file, EXPIRES_ON);
      throw new Error('killed');
    });
    await expect(failing).rejects.toThrow('killed');
    await expect(download(request)).rejects.toMatchObject({ code: 'NOT_FOUND' });
    expect(await store.query('SELECT result_parts FROM dsr_requests')).toEqual([{ result_parts: null }]);
  });

  test('once its 7 days are over, to the millisecond; then its bytes go and it stays gone', async () => {
    const request = await insertRequest(store);
    await publish(await write(request, [await somebody()]));
    clock.advance(7 * DAY_MS - 1);
    expect(await expireResultFiles({ store, clock }, never())).toBe(0);
    expect(await contents(request)).toHaveLength(1);
    clock.advance(1);
    await expect(download(request)).rejects.toMatchObject({ code: 'GONE' });
    expect(await expireResultFiles({ store, clock }, never())).toBe(1);
    expect(await countParts()).toBe(0);
    await expect(download(request)).rejects.toMatchObject({ code: 'GONE' });
    expect(await expireResultFiles({ store, clock }, never())).toBe(0);
    expect(await store.query('SELECT state, mpids FROM dsr_result_files')).toEqual([{ state: 'dropped', mpids: [] }]);
  });
});

describe('an attempt that came to nothing', () => {
  test('is cleared away by the next, which starts clean', async () => {
    const request = await insertRequest(store);
    const people = [await somebody()];
    const first = await write(request, people);
    await store.transaction((tx) => addPart(tx, first, { part: first.parts, bytes: Buffer.from('half a page') }));
    await publish(await write(request, people));
    expect((await contents(request)).get('profile.jsonl')).toContain('ada@example.com');
    expect(await countParts()).toBe(2 + 1);
    await expireResultFiles({ store, clock }, never());
    expect(await countParts()).toBe(1);
    expect(await contents(request)).toHaveLength(1);
  });

  test('and still runs adds nothing to the file of the next, nor publishes its own', async () => {
    const request = await insertRequest(store);
    const people = [await somebody()];
    const dead = await write(request, people);
    const alive = await write(request, people);
    const adding = store.transaction((tx) => addPart(tx, dead, { part: 9, bytes: Buffer.from('late') }));
    await expect(adding).rejects.toMatchObject({ code: 'LEASE_LOST' });
    await expect(publish(dead)).rejects.toMatchObject({ code: 'LEASE_LOST' });
    await publish(alive);
    expect(await contents(request)).toHaveLength(1);
  });

  test('ends at a part when it is aborted', async () => {
    const stopped = AbortSignal.abort();
    const people = [await somebody()];
    const writing = writeResultFile(deps(), await insertRequest(store), { people, signal: stopped });
    await expect(writing).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(await countParts()).toBe(0);
  });
});

describe('an erasure', () => {
  test('takes the files that hold its people out of sight at once, and then deletes them', async () => {
    const people = [await somebody()];
    const [of, other] = [await insertRequest(store), await insertRequest(store)];
    await publish(await write(of, people));
    await publish(await write(other, [{ environment: 'production', mpid: 5n }]));
    const mpids = people.map(({ mpid }) => mpid);
    expect(await hideFilesOf(store, { workspaceId: workspaceId(8n), mpids })).toBe(0);
    expect(await hideFilesOf(store, { workspaceId: SCOPE.workspaceId, mpids })).toBe(1);
    await expect(download(of)).rejects.toMatchObject({ code: 'GONE' });
    await deleteHiddenFiles(store, SCOPE.workspaceId, never());
    expect(await countParts()).toBe(1);
    expect(await contents(other)).toHaveLength(1);
  });

  test('ends the writing of one', async () => {
    const { mpid, environment } = await somebody();
    const key = { workspaceId: SCOPE.workspaceId, requestId: (await insertRequest(store)).id, fileId: 1n };
    await store.transaction((tx) => beginFile(tx, { ...key, mpids: [mpid], startedOn: new Date(clock.nowMs()) }));
    await store.transaction((tx) => addPart(tx, key, { part: 0, bytes: Buffer.from(environment) }));
    await hideFilesOf(store, { workspaceId: SCOPE.workspaceId, mpids: [mpid] });
    const adding = store.transaction((tx) => addPart(tx, key, { part: 1, bytes: Buffer.from('more') }));
    await expect(adding).rejects.toMatchObject({ code: 'LEASE_LOST' });
    await deleteHiddenFiles(store, SCOPE.workspaceId, never());
    expect(await countParts()).toBe(0);
  });
});
