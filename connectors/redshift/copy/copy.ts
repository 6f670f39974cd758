// Loading staged rows through S3: the connector writes them to a folder of the customer's bucket, and the cluster loads it by
// COPY. The folder belongs to one attempt and is deleted with it.
import { randomUUID } from 'node:crypto';
import type { KeyCell, WriteBackTarget } from '../../../src/warehouse/index.ts';
import { fieldOf } from '../../_shared/field-of.ts';
import type { Link } from '../link/link.ts';
import { type Bucket, type BucketDeps, openBucket } from '../s3/bucket.ts';
import { placeIn, removeLeftovers } from '../s3/folders.ts';
import { ROLLBACK } from '../statements.ts';
import { copyFromS3Sql, loadErrorSql } from './copy-sql.ts';
import { csvFiles } from './csv-files.ts';

export interface CopyJob {
  readonly link: Link;
  readonly target: WriteBackTarget;
  /** Name of the staging table; it ends with `_` and the fence of the attempt. */
  readonly staging: string;
  /** Cells in the order of staging's columns. */
  readonly rows: Iterable<readonly KeyCell[]>;
  /** Creates the staging table. */
  readonly create: () => Promise<unknown>;
  readonly signal: AbortSignal;
}

/** Creates and loads the staging table. */
export type Copy = (job: CopyJob) => Promise<void>;

/** Returns undefined for a connection without a bucket. */
export function createCopy(deps: BucketDeps): Copy | undefined {
  const { s3_uri, s3_iam_role: role, s3_region: region } = deps.config;
  if (s3_uri === undefined || role === undefined) return undefined;
  const place = placeIn(s3_uri, 'copy');
  return async (job) => {
    const { staging, target, signal } = job;
    const attempt = randomUUID();
    const folder = `${place.root}${staging}/${attempt}/`;
    await using bucket = await openOwn(deps, place.bucket, { folder, signal });
    await removeLeftovers(bucket, {
      root: place.root,
      isDead: (key) => isEarlier(key.slice(place.root.length), staging),
      first: `${folder}0.csv.gz`,
    });
    let files = 0;
    for await (const body of csvFiles(job.rows, attempt))
      await bucket.write(`${folder}${files++}.csv.gz`, body, signal);
    // after the upload: the transaction sees what is committed when its first statement on tables begins
    // https://docs.aws.amazon.com/redshift/latest/dg/c_serializable_isolation.html
    await job.create();
    const columns = [...target.key.map((_, index) => `k${index}`), 'read_mpid', 'mpid'];
    const at = { folder: `s3://${place.bucket}/${folder}`, nullText: attempt, role, region };
    await job.link.run(copyFromS3Sql({ table: staging, columns, ...at })).catch(async (failure: unknown) => {
      if (!signal.aborted) await addReason(failure, job, attempt);
      throw failure;
    });
  };
}

interface Own {
  readonly folder: string;
  readonly signal: AbortSignal;
}

/** Opens the bucket. When disposed, deletes the folder, whatever happened, and closes. */
async function openOwn(deps: BucketDeps, name: string, { folder, signal }: Own): Promise<Bucket & AsyncDisposable> {
  const bucket = await openBucket(deps, name, signal);
  return {
    ...bucket,
    async [Symbol.asyncDispose]() {
      await bucket
        .list(folder)
        .then((found) => bucket.remove(found.map(({ key }) => key)))
        .catch(() => undefined);
      bucket.close();
    },
  };
}

/** Tells whether a key belongs to this attempt of the run or to an earlier one, which is dead since this one has begun. */
function isEarlier(key: string, staging: string): boolean {
  const run = staging.slice(0, staging.lastIndexOf('_') + 1);
  if (!key.startsWith(run)) return false;
  const fence = Number(key.slice(run.length).split('/')[0]);
  return fence <= Number(staging.slice(run.length));
}

/** Names of the views that an error of COPY refers to: in clusters and in Redshift Serverless. */
const DETAILS = ['stl_load_errors', 'sys_load_error_detail'];

/** Adds the reason to an error that only says where the reason stands; leaves it alone where nothing is found. */
async function addReason(failure: unknown, { link, target }: CopyJob, attempt: string): Promise<void> {
  const text = String(fieldOf(failure, 'message'));
  if (!(failure instanceof Error) || !DETAILS.some((view) => text.includes(view))) return;
  try {
    // the failed transaction answers no query
    await link.run(ROLLBACK);
    const [[column, reason] = []] = await link.run(loadErrorSql(attempt));
    if (typeof reason !== 'string') return;
    const name = target.key.find((_, index) => column === `k${index}`)?.name ?? column;
    Object.assign(failure, { hint: `Column ${name}: ${reason}` });
  } catch {
    // the failure itself is what counts
  }
}
