// Full loads of Redshift through S3: UNLOAD to moto's S3 by a server that does what Amazon documents, over a real PostgreSQL that
// also answers the cursor. So the cells of both ways can be compared.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { redshift } from '../../connectors/redshift/index.ts';
import type { ReadRequest } from '../../src/warehouse/index.ts';
import { NEVER, readAll, requestOf, statement } from '../conformance/reading.ts';
import { says } from '../support/fakes/fake-postgres.ts';
import { openPostgresWarehouse } from '../support/fakes/postgres-warehouse.ts';
import { openUnloadingRedshift, type UnloadingOptions } from '../support/fakes/unloading-redshift.ts';
import { warehouseEnvironment } from '../support/fakes/warehouse-environment.ts';
import { onServer, serverOf } from '../support/warehouses/on-server.ts';
import { bucketFields, createBucket, emptyBucket, keysIn, putObject } from '../support/warehouses/test-bucket.ts';

const BUCKET = 'shop-penstock';
const RUN = '0123456789abcdef0123456789abcdef';
const ROOT = 'loads/penstock/unload/';
const S3_FIELDS = bucketFields(BUCKET);
const WHOLE = { snapshotKey: RUN };

/** Rows of every type that is unloaded, with texts that CSV, literals and markers of NULL get wrong. */
const AWKWARD = String.raw`SELECT * FROM (VALUES
  (1, true, 'plain', 'ab', 12.50, DATE '2024-02-29', TIMESTAMP '2024-01-01 01:02:03.5', TIMESTAMPTZ '2024-01-01 01:02:03.000001+02',
    TIME '24:00:00', TIMETZ '01:02:03.5-02:30', 9007199254740993),
  (2, false, '', '', -0.01, DATE '0044-03-15 BC', TIMESTAMP '12024-01-01 00:00:00', TIMESTAMPTZ '0044-03-15 00:00:00+00 BC',
    TIME '23:59:59.999999', TIMETZ '00:00:00+00', -9223372036854775808),
  (3, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
  (4, true, 'it''s "quoted", in two' || chr(10) || 'lines' || chr(13) || chr(10), 'a"b', 0, NULL, NULL, NULL, NULL, NULL, 0),
  (5, true, 'back\slash\n and ''''', ',', 0.00, NULL, NULL, NULL, NULL, NULL, 1),
  (6, true, 'NULL', '\N', 0, NULL, NULL, NULL, NULL, NULL, 2),
  (7, true, chr(13), ' ', 0, NULL, NULL, NULL, NULL, NULL, 3),
  (8, true, ' größe 😀 ', 'x', 0, NULL, NULL, NULL, NULL, NULL, 4)
) AS rows (n, flag, words, letters, price, day, at, at_zone, clock, clock_zone, big)`;
const TYPED = `SELECT n, flag, CAST(words AS varchar(200)) AS words, CAST(letters AS char(5)) AS letters,
  CAST(price AS numeric(18,4)) AS price, day, at, at_zone, clock, clock_zone, CAST(big AS bigint) AS big,
  CAST(n AS smallint) AS small, CAST(words AS text) AS long_words FROM (${AWKWARD}) AS typed`;
const COUNTED = 'SELECT n, CAST(n AS varchar(20)) AS words FROM generate_series(1, 5000) AS series (n)';

const keys = () => keysIn(BUCKET);

interface Site {
  readonly options?: Partial<UnloadingOptions>;
  readonly fields?: object;
}

async function openSite({ options = {}, fields = {} }: Site = {}) {
  const warehouse = await openPostgresWarehouse();
  const server = await openUnloadingRedshift({ warehouse, put: putObject, ...options });
  const { database, user, password } = warehouse.config;
  const config = {
    ...{ host: '127.0.0.1', port: String(server.port), sslmode: 'disable', database, user, password },
    ...S3_FIELDS,
    ...fields,
  };
  const session = await redshift.open(config, warehouseEnvironment({ endpoints: serverOf('aws').endpoints }), NEVER);
  return {
    session,
    sent: (word: string) =>
      server.received.filter((entry) => entry.startsWith(`Q ${word}`) || entry.startsWith(`P ${word}`)),
    async [Symbol.asyncDispose]() {
      await session[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
      await warehouse[Symbol.asyncDispose]();
    },
  };
}

async function failureOf(site: Site, request: ReadRequest = requestOf(COUNTED, WHOLE)): Promise<unknown> {
  await using opened = await openSite(site);
  return await readAll(opened.session, request).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
}

onServer('aws', 'a full load of Redshift through S3', () => {
  beforeEach(() => createBucket(BUCKET));
  afterEach(() => emptyBucket(BUCKET));

  it('reads the cells that the cursor reads, of every type', async () => {
    await using site = await openSite();
    const byCursor = await readAll(site.session, requestOf(TYPED));
    expect(site.sent('UNLOAD')).toEqual([]);
    const unloaded = await readAll(site.session, requestOf(TYPED, WHOLE));
    expect(site.sent('UNLOAD')).toHaveLength(1);
    const inOrder = [...unloaded.rows].sort(([left], [right]) => Number(left) - Number(right));
    expect(inOrder).toEqual(byCursor.rows);
    expect(unloaded.columns).toEqual(byCursor.columns);
    expect(byCursor.rows).toHaveLength(8);
  });

  it('reads each row of several files once, in chunks, and leaves no file', async () => {
    await using site = await openSite({ options: { slices: 3 } });
    const { rows, chunkSizes } = await readAll(site.session, requestOf(COUNTED, { ...WHOLE, chunkRows: 700 }));
    expect(rows.map(([n]) => Number(n)).sort((left, right) => left - right)).toEqual(
      Array.from({ length: 5000 }, (_, index) => index + 1),
    );
    expect(Math.max(...chunkSizes)).toBe(700);
    expect(site.sent('DECLARE penstock_rows CURSOR FOR SELECT n')).toEqual([]);
    expect(await keys()).toEqual([]);
  });

  it('ends a chunk at its bytes', async () => {
    await using site = await openSite();
    const { rows, chunkSizes } = await readAll(site.session, requestOf(COUNTED, { ...WHOLE, chunkBytes: 4000 }));
    expect(rows).toHaveLength(5000);
    expect(Math.max(...chunkSizes)).toBeLessThan(200);
  });

  it.each([
    ['a preview', requestOf(COUNTED)],
    [
      'a range with a lower bound',
      requestOf('', {
        ...WHOLE,
        statement: statement(
          `SELECT * FROM (${COUNTED}) AS m WHERE n >= CAST(:range_start AS bigint)`.replace(
            ':range_start',
            redshift.dialect.placeholder('range_start'),
          ),
          {
            range_start: 1n,
          },
        ),
      }),
    ],
    [
      'a column whose text is not documented to be exact',
      requestOf(`SELECT n, 0.1::float8 AS ratio FROM (${COUNTED}) AS m`, WHOLE),
    ],
  ])('reads %s by a cursor', async (_, request) => {
    await using site = await openSite();
    expect((await readAll(site.session, request)).rows).toHaveLength(5000);
    expect(site.sent('UNLOAD')).toEqual([]);
  });

  it('reads a result without rows, which leaves no manifest', async () => {
    await using site = await openSite();
    const { rows, columns } = await readAll(
      site.session,
      requestOf(`SELECT * FROM (${COUNTED}) AS m WHERE n < 0`, WHOLE),
    );
    expect([rows, columns.map(({ name }) => name)]).toEqual([[], ['n', 'words']]);
  });

  it.each([
    [
      'a file is cut off',
      (key: string, body: Uint8Array) => (key.endsWith('0001_part_00.gz') ? body.subarray(0, -20) : body),
      'WAREHOUSE_SESSION_LOST',
    ],
    [
      'a file is missing',
      (key: string, body: Uint8Array) => (key.endsWith('0001_part_00.gz') ? undefined : body),
      'WAREHOUSE_SESSION_LOST',
    ],
    [
      'the manifest counts other rows than the server',
      (key: string, body: Uint8Array) =>
        key.endsWith('manifest') ? Buffer.from(Buffer.from(body).toString().replace('2500', '2499')) : body,
      'WAREHOUSE_UNKNOWN',
    ],
    [
      'the manifest is that of another folder',
      (key: string, body: Uint8Array) =>
        key.endsWith('manifest') ? Buffer.from(Buffer.from(body).toString().replaceAll(RUN, 'f'.repeat(32))) : body,
      'WAREHOUSE_UNKNOWN',
    ],
  ])('fails the whole read where %s, and leaves no file', async (_, spoil, code) => {
    expect(await failureOf({ options: { spoil } })).toMatchObject({ code });
    expect(await keys()).toEqual([]);
  });

  it('fails where files hold other rows than their manifest says', async () => {
    const swapped = (key: string, body: Uint8Array) =>
      key.endsWith('manifest')
        ? Buffer.from(Buffer.from(body).toString().replace('2500', '2499').replace('2500', '2501'))
        : body;
    expect(await failureOf({ options: { spoil: swapped } })).toMatchObject({
      code: 'WAREHOUSE_SESSION_LOST',
      message: expect.stringMatching(/has 2500 rows, where its manifest lists 2499/),
    });
  });

  it('deletes what earlier attempts of the run left, and nothing of other runs', async () => {
    const other = `${ROOT}${'f'.repeat(32)}/a/0000_part_00.gz`;
    await putObject(BUCKET, `${ROOT}${RUN}/a/0000_part_00.gz`, Buffer.from('left'));
    await putObject(BUCKET, other, Buffer.from('alive'));
    await using site = await openSite();
    expect((await readAll(site.session, requestOf(COUNTED, WHOLE))).rows).toHaveLength(5000);
    expect(await keys()).toEqual([other]);
  });

  it('deletes the files of a read that is left after its first chunk', async () => {
    await using site = await openSite();
    const { chunks } = await site.session.read(requestOf(COUNTED, { ...WHOLE, chunkRows: 10 }), NEVER);
    for await (const chunk of chunks) {
      expect(chunk).toHaveLength(10);
      break;
    }
    expect(await keys()).toEqual([]);
  });

  it('deletes the files of a read that is aborted', async () => {
    await using site = await openSite();
    const stop = new AbortController();
    const { chunks } = await site.session.read(requestOf(COUNTED, { ...WHOLE, chunkRows: 10 }), stop.signal);
    const read = async () => {
      for await (const _ of chunks) stop.abort();
    };
    await expect(read()).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(await keys()).toEqual([]);
  });

  it('reads through S3 by a role', async () => {
    await using site = await openSite({ fields: { aws_assume_role_arn: 'arn:aws:iam::123456789012:role/penstock' } });
    expect((await readAll(site.session, requestOf(COUNTED, WHOLE))).rows).toHaveLength(5000);
  });

  it('names the field of a bucket that is not there', async () => {
    expect(await failureOf({ fields: { s3_uri: 's3://not-there' } })).toMatchObject({
      code: 'WAREHOUSE_OBJECT_MISSING',
      message: expect.stringContaining('config.s3_uri'),
    });
  });

  it('says which field helps where the bucket is in another region', async () => {
    // https://github.com/hellonarrativ/spectrify/issues/50
    const said =
      'S3ServiceException:The bucket you are attempting to access must be addressed using the specified endpoint. Please send all future requests to this endpoint.,Status 301,Error PermanentRedirect';
    expect(await failureOf({ options: { refuses: says.error('XX000', said) } })).toMatchObject({
      code: 'WAREHOUSE_CONFIG',
      message: expect.stringContaining('config.s3_region'),
    });
  });
});
