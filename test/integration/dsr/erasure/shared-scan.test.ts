// Erasures of one workspace that are due together read what it keeps of nobody once; each erases its own part by itself.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { Request } from '../../../../src/dsr/request.ts';
import { executeRequest } from '../../../../src/dsr/work/execute-request.ts';
import type { WorkDeps } from '../../../../src/dsr/work/work-deps.ts';
import { createRecordRejections } from '../../../../src/events/log/rejected-batches.ts';
import type { Store } from '../../../../src/store/index.ts';
import { addWorkspace } from '../../../support/apis/add-workspace.ts';
import { insertErasure, keyOf, readRequest, work, workDeps } from '../../../support/apis/dsr-work.ts';
import { type FakeClock, fakeClock } from '../../../support/clocks/fake-clock.ts';
import { deliver, person, SCOPE, testIdentities } from '../../../support/people/deliver-people.ts';
import { openTestStore } from '../../../support/stores/test-store.ts';

const { workspaceId } = SCOPE;
/** A page of the log holds 2,000 batches. */
const PAGE_ROWS = 2_000;

let store: Store;
let clock: FakeClock;
beforeAll(async () => {
  store = await openTestStore();
  await addWorkspace(store, workspaceId);
});
afterAll(() => store[Symbol.asyncDispose]());
beforeEach(async () => {
  clock = fakeClock();
  clock.advance(86_400_000);
  await store.execute('DELETE FROM event_batches');
  await store.execute('DELETE FROM rejected_batches');
});

const newEmail = () => `${randomUUID()}@example.com`;

async function erasureOf(email: string): Promise<Request> {
  await deliver(store, [person({ email })]);
  return await insertErasure(store, { identities: [{ type: 'email', value: email }] });
}

let lastId = 0;

/** Batches of nobody that were received then, and name those people in an attribute. */
async function addOfNobody(receivedOn: Date, names: readonly string[]): Promise<void> {
  const texts = names.map((name) => JSON.stringify({ user_attributes: { friend: name }, events: [] }));
  await store.execute(
    `INSERT INTO event_batches (workspace_id, mpid, received_on, id, environment, text)
     SELECT $1, 0, $2, $3 + n, 0, text FROM unnest($4::text[]) WITH ORDINALITY AS given (text, n)`,
    [workspaceId, receivedOn, lastId, texts],
  );
  lastId += texts.length;
}

const ago = (minutes: number) => new Date(clock.nowMs() - minutes * 60_000);

async function ofNobody(email: string): Promise<number> {
  return (await store.query('SELECT 1 FROM event_batches WHERE mpid = 0 AND text LIKE $1', [`%${email}%`])).length;
}

const countsOf = async (request: Request) => JSON.parse(String((await readRequest(store, request)).counts));

interface Watch {
  /** Called before each transaction, once a page of nobody's batches was read. */
  readonly afterPage?: () => Promise<void>;
  readonly beforeRead?: (pages: number) => Promise<void>;
}

/** Counts the pages of nobody's batches that are read. */
function watched({ afterPage, beforeRead }: Watch = {}) {
  const read = { pages: 0 };
  const transaction: Store['transaction'] = async (act, options) => {
    let isPage = false;
    const result = await store.transaction(
      (tx) =>
        act({
          ...tx,
          query: async (text, values) => {
            if (/bytes_before/.test(text) && /event_batches/.test(text)) {
              isPage = true;
              await beforeRead?.(read.pages++);
            }
            return await tx.query(text, values);
          },
        }),
      options,
    );
    if (isPage) await afterPage?.();
    return result;
  };
  return { read, store: Object.create(store, { transaction: { value: transaction } }) as Store };
}

it('batches of nobody that come in between the look and the deletion push none out of it', async () => {
  const ann = newEmail();
  const erasure = await erasureOf(ann);
  await addOfNobody(ago(20), [...Array.from({ length: PAGE_ROWS - 1 }, newEmail), ann]);
  let isFirst = true;
  const { store: here } = watched({
    afterPage: async () => {
      if (isFirst) await addOfNobody(ago(10), Array.from({ length: PAGE_ROWS }, newEmail));
      isFirst = false;
    },
  });
  await work(workDeps(here, clock), erasure);
  expect(await ofNobody(ann)).toBe(0);
  expect((await countsOf(erasure)).events).toEqual({ batches_of_nobody: 1 });
});

it('erasures that wait for a look share the next one, and each counts its own', async () => {
  const emails = Array.from({ length: 6 }, newEmail);
  const [both = ''] = emails;
  const erasures: Request[] = [];
  for (const email of emails) erasures.push(await erasureOf(email));
  await addOfNobody(
    ago(10),
    emails.map((email, index) => (index === 1 ? `${both} ${email}` : email)),
  );
  const reject = createRecordRejections({ store, clock, identities: testIdentities() });
  await store.execute('DELETE FROM tombstones');
  const rejections = emails.map((email) => ({ text: JSON.stringify({ email }), issues: [] }));
  await reject({ workspaceId, key: 'k', path: '/v2/bulkevents', rejections });
  const { store: here, read } = watched();
  const deps = workDeps(here, clock);
  await Promise.all(erasures.map((erasure) => work(deps, erasure)));
  for (const email of emails) expect(await ofNobody(email)).toBe(0);
  expect(await store.query('SELECT 1 FROM rejected_batches')).toEqual([]);
  // a batch that names two people goes with the first of them
  const counts = await Promise.all(erasures.map(countsOf));
  expect(counts.map(({ events }) => events.rejected_batches)).toEqual(emails.map(() => 1));
  expect(counts.reduce((sum, { events }) => sum + (events.batches_of_nobody ?? 0), 0)).toBe(emails.length);
  // two pages a look, the second of them empty: one look for the first erasure, one or two for all others
  expect(read.pages).toBeLessThanOrEqual(6);
});

it('an erasure that comes while a look is under way is searched for from the beginning', async () => {
  const [ann, ben] = [newEmail(), newEmail()];
  const [first, second] = [await erasureOf(ann), await erasureOf(ben)];
  await addOfNobody(ago(30), [ann]);
  await addOfNobody(ago(10), [...Array.from({ length: PAGE_ROWS }, newEmail), ben]);
  let late: Promise<void> | undefined;
  const joined = Promise.withResolvers<void>();
  const { store: here } = watched({
    // the page with Ben's batch was read
    beforeRead: async (pages) => {
      if (pages !== 2) return;
      late = work(deps, second);
      await joined.promise;
    },
  });
  const given = workDeps(here, clock);
  const deps: WorkDeps = {
    ...given,
    joinScan: (erasure) => {
      const look = given.joinScan(erasure);
      if (late !== undefined) joined.resolve();
      return look;
    },
  };
  await work(deps, first);
  await late;
  expect([await ofNobody(ann), await ofNobody(ben)]).toEqual([0, 0]);
  expect((await countsOf(second)).events).toEqual({ batches_of_nobody: 1 });
});

it('one that lost its request, or was aborted, leaves the look alone, and the others go on', async () => {
  const [lost, aborted, stays] = [newEmail(), newEmail(), newEmail()];
  const erasures = [await erasureOf(lost), await erasureOf(aborted), await erasureOf(stays)];
  await addOfNobody(ago(10), [lost, aborted, stays]);
  const abort = new AbortController();
  const given = workDeps(store, clock);
  let waiting = 0;
  const all = Promise.withResolvers<void>();
  const deps: WorkDeps = {
    ...given,
    joinScan: async (erasure) => {
      if (++waiting === 3) {
        // another daemon takes the first
        await store.execute('UPDATE dsr_requests SET attempts = attempts + 1 WHERE id = $1', [erasures[0]?.id ?? '']);
        abort.abort('drain');
        all.resolve();
      }
      await all.promise;
      await given.joinScan(erasure);
    },
  };
  const never = new AbortController().signal;
  const signals = [never, abort.signal, never];
  await Promise.all(erasures.map((each, index) => executeRequest(deps, keyOf(each), signals[index] ?? never)));
  const rows = await Promise.all(erasures.map((erasure) => readRequest(store, erasure)));
  expect(rows.map(({ status }) => status)).toEqual(['in_progress', 'in_progress', 'completed']);
  expect(rows.map(({ last_error: error }) => error)).toEqual([null, null, null]);
  expect([await ofNobody(lost), await ofNobody(aborted), await ofNobody(stays)]).toEqual([1, 1, 0]);
  for (const erasure of erasures.slice(0, 2)) await work(workDeps(store, clock), erasure);
  expect([await ofNobody(lost), await ofNobody(aborted)]).toEqual([0, 0]);
});
