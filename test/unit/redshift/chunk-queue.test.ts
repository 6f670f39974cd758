import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { ChunkQueue } from '../../../connectors/redshift/chunk-queue.ts';
import type { RowSource } from '../../../connectors/redshift/fetch-rows.ts';
import { until } from '../../support/clocks/until.ts';

interface Server {
  readonly source: RowSource;
  /** Rows that left the server. */
  sent: number;
  isPaused: boolean;
  /** Limits of the fetches so far. */
  readonly asked: number[];
}

/** A server that sends row by row, a turn of the event loop for each, and waits while nobody takes from the socket. */
function serverOf(rows: number, failsAt = Number.POSITIVE_INFINITY): Server {
  const server: Server = {
    sent: 0,
    isPaused: false,
    asked: [],
    source: {
      async fetch(limit, onRow) {
        server.asked.push(limit);
        for (let count = 0; count < limit; count++) {
          if (server.sent === failsAt) throw new Error('no more');
          if (server.sent === rows) return false;
          while (server.isPaused) await setImmediate();
          onRow([String(server.sent++)], 100);
          await setImmediate();
        }
        return true;
      },
      close: async () => undefined,
    },
  };
  return server;
}

function queueOf(server: Server, request: { chunkRows: number; chunkBytes?: number }) {
  return new ChunkQueue({
    source: server.source,
    readers: [Number],
    request: { chunkBytes: 1e9, ...request },
    pause: () => {
      server.isPaused = true;
    },
    resume: () => {
      server.isPaused = false;
    },
    guard: (work) => work(),
  });
}

async function quiet(server: Server): Promise<void> {
  let before = -1;
  await until(async () => {
    const isStill = before === server.sent;
    before = server.sent;
    return isStill;
  });
}

describe('chunks', () => {
  it('hold all rows in order, as cells', async () => {
    const queue = queueOf(serverOf(10), { chunkRows: 4 });
    const chunks = [await queue.next(), await queue.next(), await queue.next(), await queue.next()];
    expect(chunks).toEqual([[[0], [1], [2], [3]], [[4], [5], [6], [7]], [[8], [9]], undefined]);
  });

  it('are asked for one ahead, and only the rows they lack', async () => {
    const server = serverOf(100);
    const queue = queueOf(server, { chunkRows: 10 });
    await queue.next();
    await quiet(server);
    expect([server.sent, server.asked]).toEqual([20, [10, 10]]);
    await queue.next();
    await quiet(server);
    expect(server.sent).toBe(30);
  });

  it('that end early by their bytes leave the rest of a fetch on the server', async () => {
    const server = serverOf(1000);
    // a row is 100 bytes on the wire and 16 beside
    const queue = queueOf(server, { chunkRows: 1000, chunkBytes: 500 });
    expect(await queue.next()).toHaveLength(5);
    await quiet(server);
    expect(server.sent).toBe(10);
    expect(server.isPaused).toBe(true);
    expect(await queue.next()).toHaveLength(5);
    await quiet(server);
    expect(server.sent).toBe(15);
    expect(server.asked).toEqual([1000]);
  });

  it('come before the failure that ended them, which is thrown again and again', async () => {
    const queue = queueOf(serverOf(100, 15), { chunkRows: 10 });
    expect(await queue.next()).toHaveLength(10);
    await expect(queue.next()).rejects.toThrow('no more');
    await expect(queue.next()).rejects.toThrow('no more');
  });

  it('end where a text is no cell, with its error', async () => {
    const server = serverOf(100);
    const queue = new ChunkQueue({
      source: server.source,
      readers: [
        (text) => {
          if (text === '7') throw new Error('unread');
          return text;
        },
      ],
      request: { chunkRows: 5, chunkBytes: 1e9 },
      pause: () => undefined,
      resume: () => undefined,
      guard: (work) => work(),
    });
    expect(await queue.next()).toHaveLength(5);
    await expect(queue.next()).rejects.toThrow('unread');
  });

  it('that nobody wants any more are dropped, and what is under way is waited for', async () => {
    const server = serverOf(100);
    const queue = queueOf(server, { chunkRows: 10, chunkBytes: 300 });
    await queue.next();
    await quiet(server);
    await queue.discard();
    expect([queue.isFetching, server.isPaused]).toEqual([false, false]);
    expect(await queue.next()).toBeUndefined();
  });
});
