// Reading through S3: the cluster unloads a whole result to a folder of the customer's bucket, past the limit of cursors, and
// the connector reads the files there. The folder belongs to one attempt and is deleted with it.
import { randomUUID } from 'node:crypto';
import { AppError } from '../../../src/kernel/index.ts';
import type { Column, ReadRequest } from '../../../src/warehouse/index.ts';
import type { OnRow, RowSource } from '../fetch-rows.ts';
import type { Link } from '../link/link.ts';
import { type Bucket, type BucketDeps, openBucket } from '../s3/bucket.ts';
import { type Place, placeIn, removeLeftovers } from '../s3/folders.ts';
import type { RawRow } from '../sdk.ts';
import { csvRows } from './csv-rows.ts';
import { readManifest } from './manifest.ts';
import { textsOf, UNLOADED_ROWS, unloadSql } from './unload-sql.ts';

export interface UnloadJob {
  readonly link: Link;
  readonly request: ReadRequest;
  readonly columns: readonly Column[];
  readonly sql: string;
  readonly signal: AbortSignal;
}

/** Returns the source of a result that is unloaded; undefined for one that a cursor reads. */
export type Unload = (job: UnloadJob) => RowSource | undefined;

/** Returns undefined for a connection without a bucket. */
export function createUnload(deps: BucketDeps): Unload | undefined {
  const { s3_uri, s3_iam_role: role } = deps.config;
  if (s3_uri === undefined || role === undefined) return undefined;
  const place = placeIn(s3_uri, 'unload');
  return (job) => {
    const texts = textsOf(job.columns);
    if (texts === undefined || !isWhole(job)) return undefined;
    return unloadedRows(deps, { ...job, ...place, role, texts });
  };
}

/** Tells whether a run reads a model without a lower bound: a first load or a full one. Only runs have a key of a snapshot. */
function isWhole({ link, request: { snapshotKey, statement } }: UnloadJob): boolean {
  return link.product === 'Redshift' && snapshotKey !== undefined && statement.parameters.range_start === undefined;
}

interface Unloading extends UnloadJob, Place {
  readonly role: string;
  readonly texts: readonly string[];
}

function unloadedRows(deps: BucketDeps, job: Unloading): RowSource {
  const folder = `${job.root}${job.request.snapshotKey}/${randomUUID()}/`;
  let bucket: Bucket | undefined;
  let rows: AsyncIterator<RawRow> | undefined;
  const start = async (): Promise<AsyncIterator<RawRow>> => {
    bucket = await openBucket(deps, job.bucket, job.signal);
    const own = `${job.root}${job.request.snapshotKey}/`;
    const isDead = (key: string) => key.startsWith(own);
    await removeLeftovers(bucket, { root: job.root, isDead, first: `${folder}manifest` });
    return readFiles(bucket, deps, { ...job, folder });
  };
  return {
    async fetch(wanted, onRow) {
      rows ??= await start();
      return await take(rows, { wanted, bytes: job.request.chunkBytes }, onRow);
    },
    close: async () => undefined,
    async dispose() {
      await rows?.return?.().catch(() => undefined);
      await bucket
        ?.list(folder)
        .then((found) => bucket?.remove(found.map(({ key }) => key)))
        .catch(() => undefined);
      bucket?.close();
    },
  };
}

/** Takes rows until one limit is met. Returns true while there may be more. */
async function take(
  rows: AsyncIterator<RawRow>,
  most: { readonly wanted: number; readonly bytes: number },
  onRow: OnRow,
): Promise<boolean> {
  for (let [count, bytes] = [0, 0]; count < most.wanted && bytes < most.bytes; count++) {
    const { value, done } = await rows.next();
    if (done === true) return false;
    const size = sizeOf(value);
    bytes += size;
    onRow(value, size);
  }
  return true;
}

function sizeOf(row: RawRow): number {
  return row.reduce((sum, cell) => sum + (cell?.length ?? 0), 0);
}

interface Reading extends Unloading {
  readonly folder: string;
}

/** Unloads the result and yields its rows. */
async function* readFiles(bucket: Bucket, { config, environment }: BucketDeps, job: Reading) {
  const { link, folder, signal } = job;
  // as random as a key, so that no text of the customer is equal to it
  const nullText = randomUUID();
  const at = `s3://${job.bucket}/${folder}`;
  await link.run(unloadSql({ ...job, folder: at, nullText, region: config.s3_region }));
  const [[counted] = []] = await link.run(UNLOADED_ROWS);
  const rows = Number(counted);
  // without rows there may be no manifest: https://github.com/databricks/spark-redshift/issues/446
  if (rows === 0) return;
  const manifest = await textOf(bucket.read(`${folder}manifest`, signal));
  const shape = { columns: job.columns.length, nullText, mostChars: environment.messageBytes };
  for (const file of readManifest(manifest, folder, { bucket: job.bucket, rows })) {
    let count = 0;
    for await (const row of file.rows === 0 ? [] : csvRows(bucket.read(file.key, signal), shape)) {
      count += 1;
      yield row;
    }
    if (count !== file.rows) throw incomplete(file.key, count, file.rows);
  }
}

/** Most bytes of a manifest: it lists about 100,000 files. */
const MANIFEST_BYTES = 32 * 1024 * 1024;

async function textOf(parts: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of parts) {
    all.push(part);
    bytes += part.length;
    if (bytes > MANIFEST_BYTES) throw new AppError('WAREHOUSE_DATA', 'The result was unloaded to too many files.');
  }
  return Buffer.concat(all).toString('utf8');
}

function incomplete(key: string, found: number, expected: number): AppError {
  const message = `The unloaded file "${key}" has ${found} rows, where its manifest lists ${expected}.`;
  return new AppError('WAREHOUSE_SESSION_LOST', message);
}
