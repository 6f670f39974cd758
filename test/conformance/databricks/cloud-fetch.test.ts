// Large results as files in cloud storage, with the real SDK against a wire server that hands out links and plays the storage.
import { Field, Int32, makeData, RecordBatch, RecordBatchWriter, Schema, Struct, vectorFromArray } from 'apache-arrow';
import { describe, expect, it } from 'vitest';
import { createRequester } from '../../../connectors/databricks/guarded-request.ts';
import { databricks } from '../../../connectors/databricks/index.ts';
import type { ConnectorEnvironment } from '../../../src/warehouse/index.ts';
import { openReceiver } from '../../support/apis/https-receiver.ts';
import { CERTIFICATE } from '../../support/apis/localhost-certificate.ts';
import { databricksEndpoint } from '../../support/fakes/databricks-warehouse.ts';
import type { WireAnswer, WireBehaviour } from '../../support/fakes/databricks-wire.ts';
import { STORAGE_HOST } from '../../support/fakes/databricks-wire-results.ts';
import { warehouseEnvironment } from '../../support/fakes/warehouse-environment.ts';
import { makeInt64, T } from '../../support/servers/databricks/thrift.ts';
import { NEVER, readAll, requestOf } from '../reading.ts';
import { answers, CONFIG, openWire, TOKEN, texts } from './on-wire.ts';

const FILES = 5;
const FILE_ROWS = 3;
const ROWS = Array.from({ length: FILES * FILE_ROWS }, (_, n) => [n]);
const HOUR_MS = 3_600_000;

/** Makes Arrow of one integer column, in batches that count on. */
function numbers(linked: (n: number) => number): WireAnswer {
  const schema = new Schema([new Field('n', new Int32(), true)]);
  const ipc = (values?: readonly number[]) => {
    const writer = new RecordBatchWriter();
    writer.reset(undefined, schema);
    if (values !== undefined) {
      const children = [vectorFromArray(values, new Int32()).data[0] as never];
      writer.write(
        new RecordBatch(schema, makeData({ type: new Struct(schema.fields), length: values.length, children })),
      );
    }
    writer.finish();
    return Buffer.from(writer.toUint8Array(true)).subarray(0, -8);
  };
  const head = ipc();
  const batches = Array.from({ length: FILES }, (_, file) => ({
    bytes: ipc(ROWS.slice(file * FILE_ROWS, (file + 1) * FILE_ROWS).flat()).subarray(head.length),
    rows: FILE_ROWS,
  }));
  return { schema: head, columns: ['n'], batches, linked };
}

const described = { columnSet: [texts('n'), texts('int')] };

interface Linked {
  readonly linked?: (n: number) => number;
  readonly decided?: Partial<ConnectorEnvironment>;
  readonly links?: { readonly headers?: Readonly<Record<string, string>>; readonly secondBytes?: number };
}

async function readLinked(
  behaviour: Partial<WireBehaviour> = {},
  { linked = () => HOUR_MS, decided = {}, links = {} }: Linked = {},
) {
  const answer = answers({ DESCRIBE: described, SELECT: { ...numbers(linked), ...links } });
  const opened = await openWire({ answer, ...behaviour }, TOKEN, decided);
  return { ...opened, read: () => readAll(opened.session, requestOf('SELECT n FROM t')) };
}

const filesOf = (seen: readonly string[]) => seen.filter((request) => request.includes(STORAGE_HOST));

describe('a result behind links', () => {
  it('is read file by file, in order, without the token of the warehouse', async () => {
    await using opened = await readLinked();
    expect((await opened.read()).rows).toEqual(ROWS);
    expect(filesOf(opened.wire.seen)).toHaveLength(FILES);
  });

  it('gets new links where the old ones are no longer good', async () => {
    await using opened = await readLinked({}, { linked: (n) => (n % 2 === 0 ? 1000 : HOUR_MS) });
    expect((await opened.read()).rows).toEqual(ROWS);
  });

  it('gets a new link where the storage refuses the old one, once', async () => {
    const statuses = [200, 403];
    await using opened = await readLinked({ storageStatus: () => statuses.shift() ?? 200 });
    expect((await opened.read()).rows).toEqual(ROWS);
    const later = [200];
    await using refused = await readLinked({ storageStatus: () => later.shift() ?? 403 });
    await expect(refused.read()).rejects.toMatchObject({
      ...{ code: 'WAREHOUSE_SESSION_LOST', message: expect.stringContaining('refuses its own links') },
    });
  });

  it('is read again later where the storage fails, and the link is not told', async () => {
    const statuses = [200];
    await using opened = await readLinked({ storageStatus: () => statuses.shift() ?? 503 });
    const failure = await opened.read().catch((error: unknown) => error);
    expect(failure).toMatchObject({ disposition: 'retry', message: expect.stringContaining(STORAGE_HOST) });
    expect(String(failure)).not.toContain('s1gned');
  });
});

describe('a file over 20 MiB', () => {
  const OVER = 20 * 1024 * 1024 + 1;

  it('is left out before any row was read: the statement runs once again, and its rows come inline', async () => {
    await using announced = await readLinked({}, { links: { secondBytes: OVER } });
    expect((await announced.read()).rows).toEqual(ROWS);
    expect(filesOf(announced.wire.seen)).toEqual([]);
    await using sent = await readLinked({ storageExcess: () => OVER });
    expect((await sent.read()).rows).toEqual(ROWS);
    expect(filesOf(sent.wire.seen)).toHaveLength(1);
  });

  it('fails a run that has rows already, and says what to do', async () => {
    const excess = [0, OVER];
    await using opened = await readLinked({ storageExcess: () => excess.shift() ?? 0 });
    await expect(opened.read()).rejects.toMatchObject({
      code: 'WAREHOUSE_DATA',
      message:
        'A file of the result has more than 20 MiB. Return fewer or shorter columns, or ask the operator to set ' +
        'PENSTOCK_WAREHOUSE_HOSTS without hosts of cloud storage, so that rows come inline.',
    });
  });
});

it('a link sends the headers of encryption to the storage, and no other', async () => {
  const wanted = {
    'x-amz-server-side-encryption-customer-algorithm': 'AES256',
    'X-Amz-Server-Side-Encryption-Customer-Key': 'a2V5',
    'x-ms-encryption-key': 'a2V5',
    'x-goog-encryption-key': 'a2V5',
  };
  const others = {
    authorization: 'Basic eA==',
    cookie: 'a=b',
    host: 'elsewhere.example',
    'x-forwarded-for': '10.0.0.1',
  };
  await using opened = await readLinked({}, { links: { headers: { ...wanted, ...others } } });
  expect((await opened.read()).rows).toEqual(ROWS);
  const [sent] = opened.wire.storageHeaders;
  const names = Object.keys(wanted).map((name) => name.toLowerCase());
  expect(Object.keys(sent ?? {}).sort()).toEqual([...names, 'connection', 'host'].sort());
  expect(sent?.host).toBe(STORAGE_HOST);
});

describe('rows that are missing between files', () => {
  it('are read again later', async () => {
    const from = (row: number) => {
      const [startRowOffset, rowCount, expiryTime] = [row, 3, Date.now() + HOUR_MS].map((n) => makeInt64(n) as never);
      const link = { fileLink: `https://${STORAGE_HOST}/x`, expiryTime, startRowOffset, rowCount, bytesNum: rowCount };
      const results = new T.TRowSet({ startRowOffset, rows: [] } as never);
      results.resultLinks = [new T.TSparkArrowResultLink(link as never)];
      const status = new T.TStatus({ statusCode: T.TStatusCode.SUCCESS_STATUS });
      return new T.TFetchResultsResp({ status, hasMoreRows: false, results });
    };
    await using opened = await readLinked({
      instead: (sql, asked) => (sql.startsWith('SELECT') && asked === 1 ? from(9) : undefined),
    });
    await expect(opened.read()).rejects.toMatchObject({
      ...{ code: 'WAREHOUSE_SESSION_LOST', message: expect.stringContaining('with row 9 after 6 rows') },
    });
  });
});

describe('a storage that may not be reached', () => {
  it('is left out as well where something else answers in its place', async () => {
    await using opened = await readLinked({ storageStatus: () => 403 });
    expect((await opened.read()).rows).toEqual(ROWS);
  });

  it('is left out: the statement runs once again, and its rows and all later ones come inline', async () => {
    await using opened = await readLinked();
    const store = { host: '127.0.0.1', port: opened.wire.port };
    const { wire } = opened;
    const network = {
      allowedHosts: [],
      // the sockets to the warehouse stay open; the next one is the storage's
      get refused() {
        return wire.seen.length === 0 ? [] : [store];
      },
    };
    const environment = { ...databricksEndpoint(wire.port), network };
    await using session = await databricks.open({ ...CONFIG, ...TOKEN }, environment, NEVER);
    expect((await readAll(session, requestOf('SELECT n FROM t'))).rows).toEqual(ROWS);
    expect((await readAll(session, requestOf('SELECT n FROM t'))).rows).toEqual(ROWS);
    expect(filesOf(wire.seen)).toEqual([]);
  });

  it('is not asked for where the operator allows hosts, and none of them is a storage', async () => {
    const network = (...allowedHosts: readonly string[]) => ({ network: { allowedHosts, refused: [] } });
    await using without = await readLinked({}, { decided: network('localhost') });
    expect((await without.read()).rows).toEqual(ROWS);
    expect(filesOf(without.wire.seen)).toEqual([]);
    await using opened = await readLinked({}, { decided: network('localhost', '*.blob.core.windows.net') });
    expect((await opened.read()).rows).toEqual(ROWS);
    expect(filesOf(opened.wire.seen)).toHaveLength(FILES);
  });
});

it('a storage that changes the protocol is not waited for', async () => {
  const answer = 'HTTP/1.1 101 Odd\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n';
  await using storage = await openReceiver({ respond: (_, { socket }) => void socket?.write(answer) });
  const at = { host: 'localhost', port: storage.port, ca: CERTIFICATE };
  const requester = createRequester(warehouseEnvironment({ endpoints: { databricks: at } }));
  const sent = requester.send({ url: new URL(storage.url), mostBytes: 1000, idleMs: 600_000 });
  await expect(sent).rejects.toMatchObject({ code: 'ECONNRESET' });
  requester.close();
});

it.each([
  ['as a whole', { totalMs: 400 }],
  ['between its parts', { idleMs: 400 }],
])('an answer is bounded in its time %s', async (_, limits) => {
  await using server = await openReceiver({
    respond(_received, response) {
      response.writeHead(200).write('.');
      if (!('totalMs' in limits)) return;
      const drip = setInterval(() => response.write('.'), 20);
      response.once('close', () => clearInterval(drip));
    },
  });
  const at = { host: 'localhost', port: server.port, ca: CERTIFICATE };
  const requester = createRequester(warehouseEnvironment({ endpoints: { databricks: at } }));
  const sent = requester.send({ url: new URL(server.url), mostBytes: 1_000_000, ...limits });
  await expect(sent).rejects.toMatchObject({ code: 'ETIMEDOUT', message: 'No answer within 0.4 s' });
  requester.close();
});
