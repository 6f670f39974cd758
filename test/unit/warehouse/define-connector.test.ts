import Type from 'typebox';
import { describe, expect, it } from 'vitest';
import { AppError } from '../../../src/kernel/index.ts';
import {
  type Cell,
  type ConnectorSpec,
  defineConnector,
  type Session,
  type Statement,
} from '../../../src/warehouse/index.ts';
import { warehouseEnvironment } from '../../support/fakes/warehouse-environment.ts';

const environment = warehouseEnvironment();
const request = { statement: { sql: 'select 1', parameters: {} }, chunkRows: 2, chunkBytes: 1000 };
const never = new AbortController().signal;

interface Trace {
  readonly events: string[];
}

/** A connector whose session hands out chunks from a list; a string is an error to throw. */
function connectorOf(script: readonly (readonly (readonly Cell[])[] | string)[], trace: Trace, names = ['a']) {
  const session: Session = {
    probe: async () => [],
    describe: async () => names.map((name) => ({ name, type: 'integer', nativeType: 'INT' })),
    clock: async () => {
      throw new Error('socket hang up');
    },
    read: async () => {
      let at = 0;
      return {
        columns: names.map((name) => ({ name, type: 'integer', nativeType: 'INT' })),
        chunks: {
          [Symbol.asyncIterator]: () => ({
            next: async () => {
              trace.events.push('next');
              const item = script[at++];
              if (item === undefined) return { done: true, value: undefined };
              if (typeof item === 'string') throw new Error(item);
              return { done: false, value: item };
            },
            return: async () => {
              trace.events.push('return');
              return { done: true, value: undefined };
            },
          }),
        },
      };
    },
    [Symbol.asyncDispose]: async () => void trace.events.push('close'),
  };
  const spec: ConnectorSpec = {
    provider: 'DuckDB',
    product: 'Test',
    configSchema: Type.Object(
      { host: Type.String({ minLength: 1 }), port: Type.Optional(Type.Integer()) },
      { additionalProperties: false },
    ),
    secretFields: [],
    dialect: {
      grammar: 'duckdb',
      quoteIdentifier: (name) => name,
      exactText: (expression) => expression,
      placeholder: (name) => name,
      castBound: (name) => name,
      iteratorAliases: {},
    },
    capabilities: { snapshot: false, writeBack: false },
    open: async () => {
      trace.events.push('open');
      return session;
    },
    classify: (error) => new AppError('WAREHOUSE_UNKNOWN', 'unknown', { cause: error }),
  };
  return defineConnector(spec);
}

async function drain(chunks: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of chunks);
}

describe('a connector', () => {
  it('checks its configuration before anything opens, every issue with its path', async () => {
    const trace = { events: [] };
    const connector = connectorOf([], trace);
    expect(connector.checkConfig({ host: 'x' })).toEqual([]);
    const issues = connector.checkConfig({ port: 'x', extra: 1, 'odd name': 1 });
    expect(issues.map(({ path }) => path).sort()).toEqual([
      'config.extra',
      'config.host',
      'config.port',
      'config["odd name"]',
    ]);
    await expect(connector.open({}, environment, never)).rejects.toMatchObject({
      code: 'WAREHOUSE_CONFIG',
      issues: [{ path: 'config.host', message: 'is required.' }],
    });
    expect(trace.events).toEqual([]);
  });

  it('touches nothing when the signal is aborted already', async () => {
    const trace = { events: [] };
    await expect(connectorOf([], trace).open({ host: 'x' }, environment, AbortSignal.abort())).rejects.toMatchObject({
      code: 'CANCELLED',
    });
    expect(trace.events).toEqual([]);
  });

  it('lets only AppError out', async () => {
    const session = await connectorOf([], { events: [] }).open({ host: 'x' }, environment, never);
    await expect(session.clock(never)).rejects.toMatchObject({ code: 'WAREHOUSE_UNKNOWN', cause: expect.any(Error) });
  });

  it('has an estimate exactly where its connector has one', async () => {
    const plain = await connectorOf([], { events: [] }).open({ host: 'x' }, environment, never);
    expect(plain.estimate).toBeUndefined();
    const spec = connectorOf([], { events: [] });
    const open = async () => {
      const session = await spec.open({ host: 'x' }, environment, never);
      return {
        ...session,
        estimate: async ({ sql }: Statement) => {
          if (sql === '') throw new Error('no plan');
          return { unit: 'bytes' as const, amount: sql.length };
        },
      };
    };
    const { estimate } = await defineConnector({ ...spec, open }).open({ host: 'x' }, environment, never);
    expect(await estimate?.({ sql: 'select 1', parameters: {} }, never)).toEqual({ unit: 'bytes', amount: 8 });
    await expect(estimate?.({ sql: '', parameters: {} }, never)).rejects.toMatchObject({ code: 'WAREHOUSE_UNKNOWN' });
    await expect(estimate?.({ sql: 'x', parameters: {} }, AbortSignal.abort())).rejects.toMatchObject({
      code: 'CANCELLED',
    });
  });

  it.each([
    ['the end', 9, ['next', 'next', 'return']],
    ['a loop that is left early', 1, ['next', 'return']],
  ])('runs the iterator’s return once at %s', async (_, most, events) => {
    const trace: Trace = { events: [] };
    const session = await connectorOf([[[1]]], trace).open({ host: 'x' }, environment, never);
    let seen = 0;
    for await (const chunk of (await session.read(request, never)).chunks) {
      seen += chunk.length;
      if (seen >= most) break;
    }
    expect(trace.events).toEqual(['open', ...events]);
  });

  it('runs it after an error, which stays the error', async () => {
    const trace: Trace = { events: [] };
    const session = await connectorOf([[[1]], 'broken'], trace).open({ host: 'x' }, environment, never);
    const { chunks } = await session.read(request, never);
    await expect(drain(chunks)).rejects.toMatchObject({ code: 'WAREHOUSE_UNKNOWN' });
    expect(trace.events).toEqual(['open', 'next', 'next', 'return']);
  });

  it('runs it when the session closes although nobody ever began to read', async () => {
    const trace: Trace = { events: [] };
    const session = await connectorOf([[[1]]], trace).open({ host: 'x' }, environment, never);
    await session.read(request, never);
    await session[Symbol.asyncDispose]();
    await session[Symbol.asyncDispose]();
    expect(trace.events).toEqual(['open', 'return', 'close']);
  });

  it('is CANCELLED after an abort, whatever the driver threw, with the reason where we gave one', async () => {
    const lost = new AppError('LEASE_LOST', 'gone');
    for (const [reason, code] of [
      [undefined, 'CANCELLED'],
      [lost, 'LEASE_LOST'],
    ] as const) {
      const stop = new AbortController();
      const session = await connectorOf([[[1]], 'interrupted'], { events: [] }).open(
        { host: 'x' },
        environment,
        stop.signal,
      );
      const iterator = (await session.read(request, stop.signal)).chunks[Symbol.asyncIterator]();
      await iterator.next();
      stop.abort(reason);
      await expect(iterator.next()).rejects.toMatchObject({ code });
    }
  });

  it('refuses two columns of one name', async () => {
    const session = await connectorOf([], { events: [] }, ['a', 'a']).open({ host: 'x' }, environment, never);
    await expect(session.describe(request.statement, never)).rejects.toMatchObject({ code: 'MODEL_INVALID' });
    await expect(session.read(request, never)).rejects.toMatchObject({ code: 'MODEL_INVALID' });
  });

  it('lets no row through whose columns are others than those that were described, and frees what it had begun', async () => {
    const trace: Trace = { events: [] };
    const session = await connectorOf([[[1, 2]]], trace, ['a', 'b']).open({ host: 'x' }, environment, never);
    const described = await session.describe(request.statement, never);
    const sized = described.map((column) => ({ ...column, nativeType: 'INT(11)' }));
    await drain((await session.read({ ...request, described: sized }, never)).chunks);
    expect(trace.events).toEqual(['open', 'next', 'next', 'return']);
    const [a, b] = described;
    const list = { ...b, type: 'list', item: b } as const;
    for (const other of [[b, a], [a], [a, b, a], [a, { ...b, type: 'text' }], [a, list], []]) {
      const reading = session.read({ ...request, described: other as typeof described }, never);
      await expect(reading).rejects.toMatchObject({ code: 'MODEL_CHANGED' });
      expect(trace.events.at(-1)).toBe('return');
    }
  });
});
