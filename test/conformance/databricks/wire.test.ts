// Against a wire server of ours and the real SDK: grants, and what local Spark does not send.

import {
  type DataType,
  Field,
  Int32,
  makeData,
  RecordBatch,
  RecordBatchWriter,
  Schema,
  Struct,
  TimeMicrosecond,
  TimeMillisecond,
  TimeNanosecond,
  TimeSecond,
  Utf8,
  vectorFromArray,
} from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { databricks } from '../../../connectors/databricks/index.ts';
import { databricksEndpoint } from '../../support/fakes/databricks-warehouse.ts';
import { openDatabricksWire, type WireAnswer } from '../../support/fakes/databricks-wire.ts';
import { makeInt64, T } from '../../support/servers/databricks/thrift.ts';
import { NEVER, readAll, requestOf } from '../reading.ts';
import { answers, CONFIG, NO_ROWS, nullsOf, openWire, TOKEN, texts } from './on-wire.ts';

describe('the probe', () => {
  const TABLES: WireAnswer = { columnSet: [texts('shop', 'shop'), texts('orders', 'people'), texts('false', 'false')] };
  const denied = (what: string): WireAnswer => ({
    refused: `[INSUFFICIENT_PERMISSIONS] Insufficient privileges: User does not have ${what}. SQLSTATE: 42501`,
    sqlState: '42501',
  });
  it.each<readonly [string, object, Readonly<Record<string, WireAnswer>>, readonly [string, string]]>([
    ['host', { host: undefined, ...TOKEN }, {}, ['reach', 'config.host is missing']],
    ['HTTP path', { http_path: undefined, ...TOKEN }, {}, ['reach', 'config.http_path is missing']],
    ['way to sign in', {}, {}, ['reach', 'config.token is missing']],
    ['one way to sign in', { ...TOKEN, client_id: 'a' }, {}, ['reach', 'one way to sign in']],
    ['client secret', { client_id: 'a' }, {}, ['reach', 'config.client_secret is missing']],
    [
      'catalog',
      { ...TOKEN, catalog: 'main' },
      { 'SET CATALOG': { refused: '[NO_SUCH_CATALOG_EXCEPTION] Catalog main', sqlState: '42704' } },
      ['use_objects', 'Catalog main'],
    ],
    [
      'grant on the schema',
      TOKEN,
      { 'USE SCHEMA': denied('USE SCHEMA on Schema shop') },
      ['use_objects', 'USE SCHEMA on Schema shop'],
    ],
    [
      'grant on tables',
      TOKEN,
      { 'SHOW TABLES': TABLES, 'SELECT 1 AS one': denied('SELECT on Table people') },
      ['read', 'GRANT SELECT ON SCHEMA `shop`'],
    ],
  ])('names the missing %s', async (_, ...[config, table, [stage, message]]) => {
    await using opened = await openWire({ answer: answers(table) }, config);
    const failed = (await opened.session.probe(NEVER)).find(({ status }) => status === 'failed');
    expect(failed).toMatchObject({ name: stage, message: expect.stringContaining(message) });
  });

  it('is content with one table that may be read', async () => {
    await using opened = await openWire({
      answer: answers({ 'SHOW TABLES': TABLES, 'SELECT 1 AS one FROM `orders`': denied('SELECT on Table orders') }),
    });
    expect((await opened.session.probe(NEVER)).at(-1)).toMatchObject({
      status: 'passed',
      message: 'The table people can be read.',
    });
  });
});

describe('results in columns', () => {
  const int64 = (...values: readonly (bigint | null)[]) =>
    values.map((value) => {
      const integer = makeInt64(0);
      integer.buffer.writeBigInt64BE(value ?? 0n, integer.offset ?? 0);
      return integer;
    });

  it('are as exact as Arrow: integers by their bytes, all else by its text', async () => {
    const values = [9_223_372_036_854_775_807n, null];
    const columnSet = [
      new T.TColumn({
        i64Val: new T.TI64Column({ values: int64(...values) as never, nulls: nullsOf(values) }),
      } as never),
      texts('-1.50', null),
      texts('1969-12-31 23:59:59.999999', null),
      texts('0001-01-01', null),
      new T.TColumn({
        doubleVal: new T.TDoubleColumn({ values: [0.10000000149011612, 0], nulls: Buffer.from([2]) }),
      } as never),
      new T.TColumn({
        binaryVal: new T.TBinaryColumn({ values: [Buffer.from([0, 255]), Buffer.from('')], nulls: Buffer.from([2]) }),
      } as never),
      texts('["1.50",null]', null),
    ];
    const described = {
      columnSet: [
        texts('a', 'b', 'c', 'd', 'e', 'f', 'g'),
        texts('bigint', 'decimal(9,2)', 'timestamp', 'date', 'float', 'binary', 'array<decimal(9,2)>'),
      ],
    };
    await using opened = await openWire({ answer: answers({ DESCRIBE: described, SELECT: { columnSet } }) });
    const { rows } = await readAll(opened.session, requestOf('SELECT *'));
    expect(rows).toEqual([
      [
        9_223_372_036_854_775_807n,
        '-1.50',
        '1969-12-31T23:59:59.999999Z',
        '0001-01-01',
        0.1,
        new Uint8Array([0, 255]),
        ['1.50', null],
      ],
      [null, null, null, null, null, null, null],
    ]);
  });
});

describe('results as Arrow', () => {
  const described = { columnSet: [texts('a', 'b'), texts('int', 'string')] };
  const answerOf = (
    columns: readonly { readonly type: DataType; readonly values: readonly unknown[] }[],
  ): WireAnswer => {
    const schema = new Schema(columns.map(({ type }, index) => new Field(`c${index}`, type, true)));
    const children = columns.map(({ type, values }) => vectorFromArray(values as never, type).data[0] as never);
    const length = columns[0]?.values.length ?? 0;
    const batch = new RecordBatch(schema, makeData({ type: new Struct(schema.fields), length, children }));
    const ipc = (withBatch: boolean) => {
      const writer = new RecordBatchWriter();
      writer.reset(undefined, schema);
      if (withBatch) writer.write(batch);
      writer.finish();
      return Buffer.from(writer.toUint8Array(true)).subarray(0, -8);
    };
    const bytes = ipc(false);
    return {
      schema: bytes,
      columns: schema.fields.map(({ name }) => name),
      batches: [{ bytes: ipc(true).subarray(bytes.length), rows: length }],
    };
  };

  it('that have another number of columns than were described are asked for again later', async () => {
    const one = answerOf([{ type: new Int32(), values: [1] }]);
    await using opened = await openWire({ answer: answers({ DESCRIBE: described, SELECT: one }) });
    await expect(readAll(opened.session, requestOf('SELECT *'))).rejects.toMatchObject({
      code: 'WAREHOUSE_SESSION_LOST',
      message: expect.stringContaining('2 columns'),
    });
  });

  it.each([
    [new TimeSecond(), 86_399, '23:59:59.000000'],
    [new TimeMillisecond(), 86_399_999, '23:59:59.999000'],
    [new TimeMicrosecond(), 86_399_999_999n, '23:59:59.999999'],
    [new TimeNanosecond(), 86_399_999_999_000n, '23:59:59.999999'],
  ])('may have times of day in %s', async (type, value, cell) => {
    const times = answerOf([{ type, values: [value, null] }]);
    const describe = { columnSet: [texts('at'), texts('time(6)')] };
    await using opened = await openWire({ answer: answers({ DESCRIBE: describe, SELECT: times }) });
    expect((await readAll(opened.session, requestOf('SELECT *'))).rows).toEqual([[cell], [null]]);
  });

  it('have spatial columns as EWKT, which the server is asked for', async () => {
    const point = answerOf([{ type: new Utf8(), values: ['SRID=4326;POINT Z (2.718281828 3.141592653 100)'] }]);
    const describe = { columnSet: [texts('at'), texts('geography(4326)')] };
    const table = { DESCRIBE: describe, 'SELECT st_asewkt(c0) AS c0 FROM (': point };
    await using opened = await openWire({ answer: answers(table) });
    const { columns, rows } = await readAll(opened.session, requestOf('SELECT at FROM shops'));
    expect(columns).toMatchObject([{ type: 'text', nativeType: 'geography(4326)' }]);
    expect(rows).toEqual([['SRID=4326;POINT Z (2.718281828 3.141592653 100)']]);
  });

  it('may have two columns of one name beneath: they are read by position', async () => {
    const two = answerOf([
      { type: new Int32(), values: [1, null] },
      { type: new Utf8(), values: ['ä', null] },
    ]);
    await using opened = await openWire({ answer: answers({ DESCRIBE: described, SELECT: two }) });
    expect((await readAll(opened.session, requestOf('SELECT *'))).rows).toEqual([
      [1, 'ä'],
      [null, null],
    ]);
  });
});

describe('rows that are missing in the middle', () => {
  const described = { columnSet: [texts('a'), texts('string')] };
  const openCut = (instead: (asked: number) => object | undefined, decided = {}) =>
    openWire(
      {
        answer: answers({ DESCRIBE: described, SELECT: { columnSet: [texts('one', 'two')] } }),
        instead: (sql, asked) => (sql.startsWith('SELECT') ? (instead(asked) as never) : undefined),
      },
      TOKEN,
      decided,
    );
  const OK = new T.TStatus({ statusCode: T.TStatusCode.SUCCESS_STATUS });
  const busy = new T.TFetchResultsResp({
    status: new T.TStatus({ statusCode: T.TStatusCode.STILL_EXECUTING_STATUS }),
  });

  it('are waited for while the server is still at work', async () => {
    await using opened = await openCut((asked) => (asked === 0 || asked === 2 ? busy : undefined));
    expect((await readAll(opened.session, requestOf('SELECT *'))).rows).toEqual([['one'], ['two']]);
  });

  it('are waited for as long as a statement may take', async () => {
    await using opened = await openCut(() => busy, { statementTimeoutMs: 300 });
    await expect(readAll(opened.session, requestOf('SELECT *'))).rejects.toMatchObject({ code: 'WAREHOUSE_TIMEOUT' });
  });

  it.each([
    ['no rows', new T.TFetchResultsResp({ status: OK }), 'rows after 2'],
    [
      'later rows',
      new T.TFetchResultsResp({
        ...{ status: OK, hasMoreRows: false },
        results: new T.TRowSet({ startRowOffset: makeInt64(5) as never, rows: [], columns: [texts('six')] }),
      }),
      'with row 5 after 2 rows',
    ],
  ])('are asked for again later where %s come in their place', async (_, answer, message) => {
    await using opened = await openCut((asked) => (asked === 1 ? answer : undefined));
    await expect(readAll(opened.session, requestOf('SELECT *'))).rejects.toMatchObject({
      ...{ code: 'WAREHOUSE_SESSION_LOST', disposition: 'retry' },
      message: expect.stringContaining(message),
    });
  });
});

describe('the address', () => {
  it('is checked for every socket: what no setting allows is refused, the store always', async () => {
    await using wire = await openDatabricksWire({ answer: () => NO_ROWS });
    const environment = databricksEndpoint(wire.port);
    const open = (network: typeof environment.network) =>
      databricks.open({ ...CONFIG, ...TOKEN }, { ...environment, network }, NEVER);
    const store = { allowedHosts: [], refused: [{ host: '127.0.0.1', port: wire.port }] };
    await using refused = await open(store);
    await expect(refused.clock(NEVER)).rejects.toMatchObject({ code: 'WAREHOUSE_CONFIG' });
    await using elsewhere = await open({ allowedHosts: ['*.cloud.databricks.com'], refused: [] });
    await expect(elsewhere.clock(NEVER)).rejects.toMatchObject({ code: 'WAREHOUSE_CONFIG' });
    expect(wire.seen).toEqual([]);
    expect(await databricks.checkAddress?.({ ...CONFIG, ...TOKEN }, { ...environment, network: store })).toMatchObject([
      { path: 'config.host' },
    ]);
  });

  it('has a certificate that holds, or nothing is said to it', async () => {
    await using wire = await openDatabricksWire({ answer: () => NO_ROWS });
    const endpoints = { databricks: { host: 'localhost', port: wire.port } };
    await using session = await databricks.open(
      { ...CONFIG, ...TOKEN },
      databricksEndpoint(wire.port, { endpoints }),
      NEVER,
    );
    const failed = (await session.probe(NEVER)).find(({ status }) => status === 'failed');
    expect(failed).toMatchObject({ name: 'tls', message: expect.stringContaining('certificate') });
    expect(wire.seen).toEqual([]);
  });
});

it('an answer that is longer than the operator allows is not kept in memory', async () => {
  const long: WireAnswer = { columnSet: [texts('x'.repeat(100_000))] };
  const answer = answers({ DESCRIBE: { columnSet: [texts('t'), texts('string')] }, SELECT: long });
  await using opened = await openWire({ answer }, TOKEN, { messageBytes: 10_000 });
  await expect(readAll(opened.session, requestOf('SELECT t FROM u'))).rejects.toMatchObject({
    code: 'WAREHOUSE_DATA',
    message: expect.stringContaining('PENSTOCK_WAREHOUSE_MESSAGE_MB'),
  });
});
