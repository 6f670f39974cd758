// Batches are received before they are committed: an export that goes on behind its cursor leaves none out, whoever was slow
// and whatever clock was wrong.
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { batchPages } from '../../../src/events/export/batch-lines.ts';
import { createEvents } from '../../../src/events/index.ts';
import type { LogPosition } from '../../../src/events/log/read-log.ts';
import { settleLog } from '../../../src/events/log/settle-log.ts';
import { deliverInTransaction } from '../../../src/identity/index.ts';
import type { Clock } from '../../../src/kernel/index.ts';
import type { Store } from '../../../src/store/index.ts';
import { type HandClock, handClock } from '../../support/clocks/hand-clock.ts';
import { person, SCOPE, testIdentities } from '../../support/people/deliver-people.ts';
import { openTestStore } from '../../support/stores/test-store.ts';

const { workspaceId } = SCOPE;
const signal = new AbortController().signal;

let store: Store;
let clock: HandClock;
beforeEach(async () => {
  store = await openTestStore();
  clock = handClock(Date.parse('2026-01-15T12:00:00Z'));
});
afterEach(() => store[Symbol.asyncDispose]());

/** A delivery of one batch that has written everything; `commit` ends it. */
async function begin(name: string, by: Clock = clock): Promise<{ commit(): Promise<void> }> {
  const events = createEvents({ identities: testIdentities(), clock: by });
  const batch = { person: person({ customer_id: name }), text: `{"name":"${name}"}` };
  const prepared = await events.prepare(SCOPE, [batch]);
  const written = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const committed = deliverInTransaction(store, SCOPE.workspaceId, async (tx, exclusive) => {
    await events.deliver(tx, prepared, exclusive);
    written.resolve();
    await release.promise;
  });
  await Promise.race([written.promise, committed]);
  return {
    async commit() {
      release.resolve();
      await committed;
    },
  };
}

const deliver = async (name: string, by: Clock = clock) => (await begin(name, by)).commit();

/** Somebody who keeps the cursor over any number of exports. */
function reader({ by = clock, waitMs = 60 }: { readonly by?: Clock; readonly waitMs?: number } = {}) {
  const names: string[] = [];
  let after: LogPosition | undefined;
  return {
    names,
    async export() {
      const to = await settleLog({ sql: store, clock: by, signal, waitMs }, workspaceId);
      if (to === undefined) return;
      for await (const page of batchPages(store, { workspaceId, from: new Date(0), to }, after)) {
        names.push(...page.map(({ text }) => JSON.parse(text).name));
        after = page.at(-1);
      }
    },
  };
}

/** A clock that is wrong by so much. */
const wrongBy = (ms: number): Clock => ({ ...clock, nowMs: () => clock.nowMs() + ms });

describe('an export', () => {
  it('ends before a delivery that is not over, and goes on with it once it is', async () => {
    const client = reader();
    await deliver('first');
    clock.advance(1);
    await client.export();
    const slow = await begin('slow');
    clock.advance(1000);
    await deliver('quick');
    clock.advance(1000);
    await client.export();
    expect(client.names).toEqual(['first']);
    await slow.commit();
    await client.export();
    expect(client.names).toEqual(['first', 'slow', 'quick']);
  });

  it('has nothing while a delivery that began before the very first export is not over', async () => {
    const client = reader();
    await deliver('first');
    clock.advance(1);
    const slow = await begin('slow');
    clock.advance(1);
    await deliver('quick');
    await client.export();
    expect(client.names).toEqual([]);
    await slow.commit();
    await client.export();
    expect(client.names).toEqual(['first', 'slow', 'quick']);
  });

  it('waits a while for deliveries that are under way, and not for those that begin meanwhile', async () => {
    const looked = Promise.withResolvers<void>();
    const sleep: Clock['sleep'] = (...delay) => {
      looked.resolve();
      return clock.sleep(...delay);
    };
    const client = reader({ by: { ...clock, sleep }, waitMs: 3_600_000 });
    await deliver('first');
    clock.advance(1);
    const short = await begin('short');
    clock.advance(1);
    const exporting = client.export();
    // it knows by now for whom it waits
    await looked.promise;
    const next = await begin('next');
    await short.commit();
    await exporting;
    expect(client.names).toEqual(['first', 'short']);
    await next.commit();
    await client.export();
    expect(client.names).toEqual(['first', 'short', 'next']);
  });

  it.each([-3_600_000, -1, 0, 3_600_000])(
    'meets what another daemon keeps whose clock is wrong by %i ms',
    async (ms) => {
      const client = reader();
      for (const name of ['a', 'b', 'c', 'd']) {
        await deliver(name, wrongBy(ms));
        await deliver(`${name} here`);
        await client.export();
        await client.export();
      }
      clock.advance(3_600_001);
      await client.export();
      expect(client.names.toSorted()).toEqual(['a', 'a here', 'b', 'b here', 'c', 'c here', 'd', 'd here']);
    },
  );

  it('by a daemon whose clock runs ahead keeps nobody from reading on', async () => {
    await reader({ by: wrongBy(3_600_000) }).export();
    const client = reader();
    for (const name of ['a', 'b', 'c']) {
      await deliver(name);
      await client.export();
    }
    await client.export();
    expect(client.names).toEqual(['a', 'b', 'c']);
  });

  it('meets each batch once while many deliver, some slowly, some with wrong clocks, and several read', async () => {
    const clients = [reader(), reader({ waitMs: 0 }), reader({ by: wrongBy(-500) })];
    let isOver = false;
    const reading = clients.map(async (client) => {
      while (!isOver) await client.export();
    });
    const delivering = [-500, 0, 500].map(async (ms, daemon) => {
      for (let n = 0; n < 20; n++) {
        const open = await begin(`${daemon}-${n}`, wrongBy(ms));
        clock.advance(1);
        if (n % 5 === daemon) await new Promise((done) => setImmediate(done));
        await open.commit();
      }
    });
    await Promise.all(delivering);
    isOver = true;
    await Promise.all(reading);
    clock.advance(1001);
    const kept = await store.query<{ name: string }>("SELECT text::json->>'name' AS name FROM event_batches");
    for (const client of clients) {
      await client.export();
      expect(client.names.toSorted()).toEqual(kept.map(({ name }) => name).toSorted());
    }
    expect(kept).toHaveLength(60);
  });
});
