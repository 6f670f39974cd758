// The statements of the ledger, one by one: what each of them touches, and what it leaves alone.
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { instantFromStore, type WorkspaceId, workspaceId } from '../../../../src/kernel/index.ts';
import type { RowHash } from '../../../../src/mapping/cells/row-hash.ts';
import type { Pipeline, Run } from '../../../../src/pipelines/index.ts';
import {
  closeLedger,
  dropFormerGenerations,
  dropLedger,
  keepDelivered,
} from '../../../../src/runs/ledger/close-ledger.ts';
import { hasLedger } from '../../../../src/runs/ledger/has-ledger.ts';
import { isLedgerAhead } from '../../../../src/runs/ledger/is-ledger-ahead.ts';
import { loadKnownRows } from '../../../../src/runs/ledger/known-rows.ts';
import {
  columnsInLedger,
  countHashes,
  type HashSelection,
  type LedgerOwner,
  streamHashes,
  wordsOf,
  writeHashes,
} from '../../../../src/runs/ledger/stored-hashes.ts';
import type { RunsDeps } from '../../../../src/runs/runs-deps.ts';
import type { Store, Transaction } from '../../../../src/store/index.ts';
import { addPipeline, WORKSPACE } from '../../../support/runs/test-engine.ts';
import { openTestStore } from '../../../support/stores/test-store.ts';

let store: Store;
beforeAll(async () => {
  store = await openTestStore();
  await addPipeline(store);
  await addPipeline(store, { id: 'other' });
  await addPipeline(store, { workspace: workspaceId(2n) });
});
afterAll(() => store[Symbol.asyncDispose]());

const OTHER = workspaceId(2n);
const NOON = instantFromStore('2026-01-15T12:00:00Z');
const AFTERNOON = instantFromStore('2026-01-15T15:00:00Z');
const A = '["a"]';

interface Line {
  readonly workspace?: WorkspaceId;
  readonly pipeline?: bigint;
  readonly generation?: number;
  readonly run?: bigint;
  readonly names?: string | null;
  readonly end?: typeof NOON;
  readonly delivered?: number;
  readonly deduplicated?: number;
}

/** Hashes of 16 bytes, each of the number that is given. */
const bytes = (n: number | undefined) => Buffer.alloc(n === undefined ? 0 : 16, n);

function ownerOf({ workspace = WORKSPACE, pipeline = 1n, generation = 1, run = 1n }: Line, type = 'incremental') {
  const snapshot = { pipeline: { generation, syncMode: { type } } };
  return { workspaceId: workspace, pipelineNumber: pipeline, runId: run, snapshot } as LedgerOwner;
}

const inTransaction = <Result>(work: (tx: Transaction) => Promise<Result>) => store.transaction(work);

/** Each line delivers and leaves out one hash at most; their order is what `after_rows` says. */
async function ledger(...lines: readonly Line[]): Promise<void> {
  await inTransaction(async (tx) => {
    for (const [afterRows, line] of lines.entries()) {
      const { names = A, end, delivered, deduplicated } = line;
      const columns = { names: names ?? '', types: '["text"]' };
      const piece = { columns, endsBefore: end, delivered: bytes(delivered), deduplicated: bytes(deduplicated) };
      await writeHashes(tx, ownerOf(line), { ...piece, afterRows });
      if (names === null) await tx.execute('UPDATE run_chunks SET columns = NULL WHERE after_rows = $1', [afterRows]);
    }
  });
}

/** What the lines of the ledger deliver and leave out, as numbers, in order. */
async function left(): Promise<readonly string[]> {
  const rows = await store.query<{ delivered: Uint8Array; deduplicated: Uint8Array }>(
    'SELECT delivered, deduplicated FROM run_chunks ORDER BY after_rows',
  );
  return rows.map(({ delivered, deduplicated }) => `${delivered[0] ?? '-'}/${deduplicated[0] ?? '-'}`);
}

beforeEach(async () => {
  await store.execute('DELETE FROM run_chunks');
  await store.execute('DELETE FROM pipeline_runs');
  await store.execute(
    `INSERT INTO pipeline_runs (workspace_id, id, pipeline_number, connection_id, type, status, fence, attempts, losses, errors,
       warnings, logical_date, created_on, extracted_records, successful_records, failed_records, deduplicated_records,
       erased_records)
     OVERRIDING SYSTEM VALUE
     SELECT workspace, id, (SELECT min(number) FROM pipelines WHERE workspace_id = workspace), 'warehouse', 'manual', 'failed', 0, 0, 0, '[]', '[]', '2026-01-01', '2026-01-01', 0, 0, 0, 0, 0
     FROM (VALUES (1, 1), (1, 2), (1, 3), (2, 4)) AS run (workspace, id)`,
  );
});

/** Lines of the run itself, and of everything beside it. */
const BESIDE: readonly Line[] = [
  { run: 2n, delivered: 20, deduplicated: 21 },
  { generation: 2, delivered: 30, deduplicated: 31 },
  { pipeline: 2n, delivered: 40, deduplicated: 41 },
  { workspace: OTHER, run: 4n, delivered: 50, deduplicated: 51 },
];
const ALL_BESIDE = ['20/21', '30/31', '40/41', '50/51'];

test('a run that has ended keeps what it delivered, and nothing that it left out', async () => {
  await ledger({ delivered: 1 }, { deduplicated: 2 }, { delivered: 3, deduplicated: 4 }, ...BESIDE);
  await inTransaction((tx) => keepDelivered(tx, ownerOf({})));
  expect(await left()).toEqual(['1/-', '3/-', ...ALL_BESIDE]);
});

test('a run that has taken nothing leaves no ledger', async () => {
  await ledger({ delivered: 1 }, { deduplicated: 2 }, ...BESIDE);
  await inTransaction((tx) => dropLedger(tx, ownerOf({})));
  expect(await left()).toEqual(ALL_BESIDE);
});

test('a full run that has ended leaves none of its time line, and an incremental one what it delivered', async () => {
  await ledger({ delivered: 1, deduplicated: 2 }, ...BESIDE);
  await inTransaction((tx) => closeLedger(tx, ownerOf({}), undefined));
  expect(await left()).toEqual(['1/-', ...ALL_BESIDE]);
  await inTransaction((tx) => closeLedger(tx, ownerOf({}, 'full'), undefined));
  expect(await left()).toEqual(ALL_BESIDE.slice(1));
});

test('a reset leaves no ledger of the time lines before it', async () => {
  await ledger({ generation: 0, delivered: 1 }, { delivered: 2 }, ...BESIDE);
  await inTransaction((tx) => dropFormerGenerations(tx, { workspaceId: WORKSPACE, pipelineNumber: 1n, generation: 1 }));
  expect(await left()).toEqual(['2/-', ...ALL_BESIDE]);
});

test('what lies before a start goes, of all runs, and the pipeline knows from where on its ledger is whole', async () => {
  const end = NOON;
  const passed = [
    { end, delivered: 1 },
    { end: AFTERNOON, delivered: 2 },
    { delivered: 3 },
    { run: 2n, end: NOON - 5n, delivered: 4 },
  ];
  await ledger(...passed, ...BESIDE.slice(1).map((line) => ({ ...line, end })));
  await store.execute('UPDATE pipelines SET ledger_from = NULL, generation = 1');
  await inTransaction((tx) => closeLedger(tx, ownerOf({}), NOON));
  expect(await left()).toEqual(['2/-', '3/-', ...ALL_BESIDE.slice(1)]);
  const known = () => store.query('SELECT ledger_from FROM pipelines WHERE ledger_from IS NOT NULL');
  expect(await known()).toEqual([{ ledger_from: '2026-01-15T12:00:00.000000Z' }]);
  await inTransaction((tx) => closeLedger(tx, ownerOf({}), AFTERNOON));
  expect(await known()).toEqual([{ ledger_from: '2026-01-15T15:00:00.000000Z' }]);
});

test('a run has a ledger, or has none', async () => {
  await ledger({ delivered: 1 }, ...BESIDE);
  const has = (pipeline: object, run: object) =>
    hasLedger(
      store,
      { workspaceId: WORKSPACE, number: 1n, generation: 1, ...pipeline } as Pipeline,
      { id: 1n, ...run } as Run,
    );
  expect(await has({}, {})).toBe(true);
  expect(await has({}, { id: 3n })).toBe(false);
  expect(await has({ generation: 3 }, {})).toBe(false);
  expect(await has({ number: 3n }, {})).toBe(false);
  expect(await has({ workspaceId: OTHER }, {})).toBe(false);
});

test('a ledger is ahead where some of it lies behind the position, or where nobody knows', async () => {
  const isAhead = (pipeline: object = {}) =>
    isLedgerAhead(store, {
      ...{ workspaceId: WORKSPACE, number: 1n, generation: 1, position: null },
      ...pipeline,
    } as Pipeline);
  expect(await isAhead()).toBe(false);
  await ledger({ end: NOON, delivered: 1 });
  expect(await isAhead()).toBe(true);
  expect(await isAhead({ position: NOON - 1n })).toBe(true);
  expect(await isAhead({ position: NOON })).toBe(false);
  for (const other of [{ number: 2n }, { generation: 2 }, { workspaceId: OTHER }])
    expect(await isAhead(other)).toBe(false);
  await store.execute('UPDATE run_chunks SET ends_before = NULL');
  expect(await isAhead({ position: NOON })).toBe(true);
});

const SELECTION: Omit<HashSelection, 'owner' | 'source'> = { after: undefined, names: A, isNewest: false };

/** The first byte of each hash that is selected, those of `own` twice where a line has both. */
async function selected(selection: Partial<HashSelection>): Promise<readonly number[]> {
  const whole: HashSelection = { owner: ownerOf({}), source: 'own', ...SELECTION, ...selection };
  const found: number[] = [];
  await streamHashes(
    store,
    whole,
  )((words) => {
    for (let at = 0; at < words.length; at += 4) found.push((words[at] ?? 0) & 0xff);
  });
  expect(await countHashes(store, whole)).toBe(found.length);
  return found.toSorted((one, other) => one - other);
}

test('hashes are those of a run, those that it left out, and those that other runs delivered', async () => {
  await ledger({ delivered: 1, deduplicated: 2 }, { run: 3n, delivered: 3, deduplicated: 4 }, ...BESIDE);
  expect(await selected({})).toEqual([1, 2]);
  expect(await selected({ source: 'own deduplicated' })).toEqual([2]);
  expect(await selected({ source: 'others' })).toEqual([3, 20]);
});

test('hashes are of the columns that are asked for; those of unknown columns count as the newest', async () => {
  await ledger({ delivered: 1 }, { names: '["b"]', delivered: 2 }, { names: null, delivered: 3 });
  expect(await selected({})).toEqual([1]);
  expect(await selected({ names: '["b"]' })).toEqual([2]);
  expect(await selected({ isNewest: true })).toEqual([1, 3]);
});

test('hashes of other runs are those that reach past a time', async () => {
  const run = 2n;
  await ledger(
    { end: NOON, delivered: 1 },
    { run, end: NOON, delivered: 2 },
    { run, end: AFTERNOON, delivered: 3 },
    { run, delivered: 4 },
  );
  expect(await selected({ source: 'others' })).toEqual([2, 3, 4]);
  expect(await selected({ source: 'others', after: NOON })).toEqual([3, 4]);
  expect(await selected({ source: 'others', after: NOON - 1n })).toEqual([2, 3, 4]);
  expect(await selected({ after: AFTERNOON })).toEqual([1]);
});

test('many hashes come in pieces, each of them once', async () => {
  const many = Buffer.concat(Array.from({ length: 2500 }, (_, n) => Buffer.alloc(16, n % 251)));
  await ledger({});
  await store.execute('UPDATE run_chunks SET delivered = $1', [many]);
  const pieces: number[] = [];
  const found: number[] = [];
  await streamHashes(store, { owner: ownerOf({}), source: 'own', ...SELECTION })((words) => {
    pieces.push(words.length / 4);
    for (let at = 0; at < words.length; at += 4) found.push((words[at] ?? 0) & 0xff);
  });
  expect(pieces).toEqual([1024, 1024, 452]);
  expect(found).toEqual(Array.from({ length: 2500 }, (_, n) => n % 251));
  expect([...wordsOf(Uint8Array.from([1, 0, 0, 0, 2, 0, 0, 0]))]).toEqual([1, 2]);
});

test('columns of the ledger are those of hashes that the run has to know', async () => {
  const names = (n: string) => `["${n}"]`;
  await ledger(
    { names: names('own'), end: NOON, delivered: 1 },
    { names: names('own'), end: NOON, delivered: 2 },
    { names: names('left out'), deduplicated: 3 },
    { names: names('empty') },
    { names: null, delivered: 4 },
    { run: 2n, names: names('passed'), end: NOON, delivered: 5 },
    { run: 2n, names: names('reaching'), end: AFTERNOON, delivered: 6 },
    { run: 2n, names: names('endless'), delivered: 7 },
    ...BESIDE.slice(1).map((line) => ({ ...line, names: names('beside') })),
  );
  const columns = async (others: boolean, after?: typeof NOON) => {
    const found = await columnsInLedger(store, { owner: ownerOf({}), others, after });
    expect(found.every(({ types }) => types === '["text"]')).toBe(true);
    return found.map((each) => each.names.slice(2, -2)).toSorted();
  };
  expect(await columns(false)).toEqual(['left out', 'own']);
  expect(await columns(true)).toEqual(['endless', 'left out', 'own', 'passed', 'reaching']);
  expect(await columns(true, NOON)).toEqual(['endless', 'left out', 'own', 'reaching']);
  expect(await columns(false, NOON)).toEqual(['left out', 'own']);
});

test('known rows are those of the run, and of others but for what it left out before', async () => {
  await ledger(
    { delivered: 1 },
    { deduplicated: 2 },
    { run: 2n, delivered: 2 },
    { run: 3n, delivered: 2 },
    { run: 3n, delivered: 3 },
  );
  const deps = { store } as RunsDeps;
  const hash = { names: A } as RowHash;
  const load = (others: boolean) =>
    loadKnownRows(deps, { hash, isNewest: true }, { owner: ownerOf({}), others, after: undefined });
  const { own, others, hash: by } = await load(true);
  expect([own.left, others.left, by]).toEqual([2, 2, hash]);
  const takes = (n: number) => others.take(wordsOf(Uint8Array.from(bytes(n))), 0);
  expect([takes(1), takes(2), takes(2), takes(3)]).toEqual([false, true, false, true]);
  expect((await load(false)).others.left).toBe(0);
});

test('nothing is read of rows that nobody took', async () => {
  const refusal = { value: () => Promise.reject(new Error('there is nothing to read')) };
  const deps = { store: Object.create(store, { transaction: refusal }) } as RunsDeps;
  const hash = { names: A } as RowHash;
  const reach = { owner: ownerOf({}), others: true, after: undefined };
  const { own, others } = await loadKnownRows(deps, { hash, isNewest: true }, reach);
  expect([own.left, others.left]).toEqual([0, 0]);
});
