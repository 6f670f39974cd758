// Write-back of many keys through S3: files in moto's S3, and COPY by a server that does what Amazon documents, over a real
// PostgreSQL that parses the files and runs every other statement.
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { WriteBackTarget } from '../../src/warehouse/index.ts';
import { applyRequest, requestWithLoss, staged } from '../conformance/writing-back.ts';
import { says } from '../support/fakes/fake-postgres.ts';
import {
  AWKWARD,
  COPY_BUCKET,
  type CopySite,
  everyone,
  MANY,
  openCopySite,
  PEOPLE,
  TARGET,
} from '../support/warehouses/copy-site.ts';
import { onServer } from '../support/warehouses/on-server.ts';
import { createBucket, emptyBucket, getObjects, keysIn } from '../support/warehouses/test-bucket.ts';

/** One more than an INSERT of keys of three columns holds. */
const MANY_OF_THREE = 6401;
const keys = () => keysIn(COPY_BUCKET);

async function failureOf(site: CopySite, request = applyRequest(TARGET, everyone())): Promise<unknown> {
  await using opened = await openCopySite(site);
  const failure = await opened.apply(request).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  const [written] = await opened.warehouse.ask('SELECT count(mpid)::int AS count FROM people');
  expect(written).toEqual({ count: 0 });
  return failure;
}

onServer('aws', 'writing back to Redshift through S3', () => {
  beforeEach(() => createBucket(COPY_BUCKET));
  afterEach(() => emptyBucket(COPY_BUCKET));

  it('writes every row by its exact key, leaves no file, and changes nothing the second time', async () => {
    await using site = await openCopySite();
    expect(await site.apply(applyRequest(TARGET, everyone()))).toEqual({ updated: MANY, conflicts: 0, listed: [] });
    expect(site.sent('COPY')).toHaveLength(1);
    expect(site.sent('INSERT')).toEqual([]);
    const wrong = await site.warehouse.ask('SELECT n, mpid FROM people WHERE mpid IS DISTINCT FROM n + 1');
    expect(wrong).toEqual([]);
    expect(await keys()).toEqual([]);
    expect(await site.apply(applyRequest(TARGET, everyone()))).toEqual({ updated: 0, conflicts: 0, listed: [] });
  });

  it('loads keys of several columns with NULL, whole numbers, decimals and MPIDs of 64 bits', async () => {
    const target: WriteBackTarget = {
      ...TARGET,
      key: [
        ...TARGET.key,
        { name: 'n', type: 'integer', nativeType: 'integer' },
        { name: 'price', type: 'decimal', nativeType: 'numeric(18,4)' },
      ],
    };
    const people = [
      ...PEOPLE,
      'UPDATE people SET customer_id = NULL WHERE n % 2 = 0',
      'ALTER TABLE people ALTER mpid SET DEFAULT -5',
      'UPDATE people SET mpid = DEFAULT',
    ];
    await using site = await openCopySite({ people });
    const most = 9_223_372_036_854_775_807n;
    const rows = Array.from({ length: MANY_OF_THREE }, (_, index) => {
      const n = index + AWKWARD.length;
      return staged([n % 2 === 0 ? null : String(n), BigInt(n), `${n}.0001`], most - BigInt(n), -5n);
    });
    expect(await site.apply(applyRequest(target, rows))).toMatchObject({ updated: rows.length });
    const own = `n >= ${AWKWARD.length} AND n < ${AWKWARD.length + MANY_OF_THREE}`;
    const wrong = `SELECT n FROM people WHERE mpid IS DISTINCT FROM CASE WHEN ${own} THEN ${most} - n ELSE -5 END`;
    expect(await site.warehouse.ask(wrong)).toEqual([]);
  });

  it('uploads keys of many bytes as several files', async () => {
    let files = 0;
    const counted = async (bucket: string, prefix: string) => {
      const found = await getObjects(bucket, prefix);
      files = found.length;
      return found;
    };
    await using site = await openCopySite({ copies: { get: counted } });
    const long = Array.from({ length: MANY }, (_, n) => staged(`${n} ${'x'.repeat(500)}`, 7n));
    expect(await site.apply(applyRequest(TARGET, [...long, staged('100', 7n)]))).toMatchObject({ updated: 1 });
    expect(files).toBeGreaterThan(1);
  });

  it('loads what one INSERT holds without S3', async () => {
    await using site = await openCopySite({ fields: { s3_uri: 's3://not-there' } });
    const failing = site.apply(applyRequest(TARGET, everyone().slice(0, MANY - 1)));
    // the server of this test takes no parameters
    await expect(failing).rejects.toMatchObject({ message: expect.stringContaining('parameter $1') });
    expect([site.sent('INSERT').length, site.sent('COPY').length]).toEqual([1, 0]);
  });

  it('writes nothing where a row did not arrive', async () => {
    const failure = await failureOf({}, requestWithLoss(TARGET, everyone()));
    expect(failure).toMatchObject({ code: 'WAREHOUSE_UNKNOWN', message: expect.stringContaining('10666 of 10667') });
    expect(await keys()).toEqual([]);
  });

  it('names the column and the reason where COPY cannot load a cell', async () => {
    const people = PEOPLE.map((text) => text.replace('varchar(65535)', 'varchar(65534)').replace(', mpid', ', mpid'));
    const narrow = [
      ...people,
      'CREATE VIEW narrow AS SELECT CAST(customer_id AS varchar(9)) AS customer_id, mpid FROM people',
    ];
    const target = { ...TARGET, table: 'narrow' };
    const grant = 'GRANT ALL ON narrow TO PUBLIC';
    const site = { people: [...narrow, grant].map((text) => text.replace('65534', '65535')) };
    expect(await failureOf(site, applyRequest(target, everyone()))).toMatchObject({
      code: 'WAREHOUSE_DATA',
      disposition: 'fault',
      message: expect.stringMatching(/Column customer_id: value too long for type character varying\(9\)/),
    });
    expect(await keys()).toEqual([]);
  });

  it('refuses a key with U+0000, at which COPY would end the row', async () => {
    const request = applyRequest(TARGET, [...everyone(), staged('a\0b', 7n)]);
    expect(await failureOf({}, request)).toMatchObject({
      code: 'WAREHOUSE_DATA',
      message: expect.stringContaining('U+0000'),
    });
    expect(await keys()).toEqual([]);
  });

  it.each([
    [
      'the role may not read the bucket',
      'S3ServiceException:Access Denied,Status 403,Error AccessDenied,Rid D14F284FE3B45734,CanRetry 1',
      ['WAREHOUSE_PERMISSION', 's3:GetObject'],
    ],
    [
      'the bucket is in another region',
      'S3ServiceException:The bucket you are attempting to access must be addressed using the specified endpoint. Please send all future requests to this endpoint.,Status 301,Error PermanentRedirect',
      ['WAREHOUSE_CONFIG', 'config.s3_region'],
    ],
  ])('says what helps where %s, and leaves no file', async (_, said, [code, advice]) => {
    const failure = await failureOf({ copies: { refuses: says.error('XX000', said) } });
    expect(failure).toMatchObject({ code, message: expect.stringContaining(advice ?? '') });
    expect(await keys()).toEqual([]);
  });

  it('tries again where something else has deleted the files', async () => {
    const failure = await failureOf({ copies: { get: async () => [] } });
    expect(failure).toMatchObject({ disposition: 'retry', message: expect.stringContaining('config.s3_uri') });
  });

  it('names the field of a bucket that is not there', async () => {
    expect(await failureOf({ fields: { s3_uri: 's3://not-there' } })).toMatchObject({
      code: 'WAREHOUSE_OBJECT_MISSING',
      message: expect.stringContaining('config.s3_uri'),
    });
  });

  it('leaves no file after a cancel, before and during COPY', async () => {
    const stop = new AbortController();
    await using site = await openCopySite({ copies: { onCopy: async () => stop.abort() } });
    await expect(site.apply(applyRequest(TARGET, everyone()), stop.signal)).rejects.toMatchObject({
      code: 'CANCELLED',
    });
    expect(await keys()).toEqual([]);
    const early = new AbortController();
    const stopping = {
      length: MANY,
      *[Symbol.iterator]() {
        yield* everyone().slice(0, 9000);
        early.abort();
        yield* everyone().slice(9000);
      },
    };
    const request = { ...applyRequest(TARGET, []), rows: stopping };
    await expect(site.apply(request, early.signal)).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(await keys()).toEqual([]);
  });
});
