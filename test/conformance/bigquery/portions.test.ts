// The statements that a write-back in portions costs: Google bills each MERGE for the columns of the whole target.
import { describe, expect, it } from 'vitest';
import { openScripted } from '../../support/bigquery/scripted.ts';
import { NEVER } from '../reading.ts';

const TARGET = {
  table: 'shop.people',
  key: [
    { name: 'id', type: 'integer', nativeType: 'INT64' },
    { name: 'email', type: 'text', nativeType: 'STRING' },
  ],
  mpid: { name: 'MPID', type: 'integer', nativeType: 'INT64' },
} as const;
const PORTION = Object.assign([
  { key: [1n, null], readMpid: null, mpid: 7n },
  { key: [null, 'a'], readMpid: null, mpid: 8n },
]);

async function openWriting(loaded: number) {
  const queries: string[] = [];
  const scripted = await openScripted(
    { fields: [], rows: [] },
    {
      async run({ query }) {
        queries.push(query);
        if (query.startsWith('SELECT count(*) AS loaded'))
          return { fields: [], rows: [{ f: [{ v: String(loaded) }] }] };
        return { fields: [], rows: [], affectedRows: 1 };
      },
    },
  );
  const session = await scripted.open({}, { writes: true });
  const beforeUpdate = async () => [];
  const request = { target: TARGET, staging: 'penstock_stg_1', beforeUpdate, mostListed: 10 };
  return {
    scripted,
    open: () => session.writeBack?.openPortions?.(request),
    verbs: () => queries.map((query) => query.split(' ', 1)[0]),
    /** Calls about the table of staging. */
    calls: () =>
      scripted.api.calls
        .filter(({ path, method }) => path.startsWith('/datasets/penstock/tables') && method !== 'GET')
        .map(({ method }) => method),
    async [Symbol.asyncDispose]() {
      await session[Symbol.asyncDispose]();
      await scripted[Symbol.asyncDispose]();
    },
  };
}

describe('a write-back of BigQuery', () => {
  it('is one MERGE and one search for conflicts, whatever portions and patterns of NULLs it has', async () => {
    await using here = await openWriting(6);
    {
      await using portions = here.open();
      for (let portion = 0; portion < 3; portion++) await portions?.load(PORTION, NEVER);
      await expect(portions?.apply(NEVER)).resolves.toMatchObject({ updated: 1, conflicts: 0 });
    }
    expect(here.verbs()).toEqual(['INSERT', 'INSERT', 'INSERT', 'SELECT', 'SELECT', 'DELETE', 'MERGE', 'SELECT']);
    expect(here.calls()).toEqual(['POST', 'DELETE']);
  });

  it('creates staging that outlives the longest run', async () => {
    await using here = await openWriting(2);
    await using portions = here.open();
    await portions?.load(PORTION, NEVER);
    const [created] = here.scripted.api.calls.filter(
      ({ path, method }) => path.endsWith('/tables') && method === 'POST',
    );
    const { expirationTime } = JSON.parse(created?.body ?? '{}') as { readonly expirationTime?: string };
    // PENSTOCK_RUN_HOURS is 23 at most
    expect(Number(expirationTime) - Date.now()).toBeGreaterThan(47 * 3_600_000);
  });

  it('drops staging where a portion is not loaded, and sends no MERGE', async () => {
    await using here = await openWriting(2);
    here.scripted.api.fault = ({ method, path, body }) =>
      method === 'POST' && path === '/jobs' && body.includes('INSERT')
        ? { status: 403, body: JSON.stringify({ error: { code: 403, errors: [{ reason: 'accessDenied' }] } }) }
        : undefined;
    {
      await using portions = here.open();
      await expect(portions?.load(PORTION, NEVER)).rejects.toMatchObject({});
    }
    expect([here.verbs(), here.calls()]).toEqual([[], ['POST', 'DELETE']]);
  });
});
