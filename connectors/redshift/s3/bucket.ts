// The part of S3 that UNLOAD and COPY need: listing, reading, writing and deleting objects of one bucket.
import { AppError, systemClock } from '../../../src/kernel/index.ts';
import type { ConnectorEnvironment } from '../../../src/warehouse/index.ts';
import { noAnswerWithin } from '../../_shared/timeout-error.ts';
import { accessKeyOf, clientConfig, secretsOf } from '../aws/access-key.ts';
import { nameAwsFailure } from '../aws/aws-errors.ts';
import type { Aws, S3 } from '../aws/aws-sdk.ts';
import { bucketRegionOf } from '../aws/place.ts';
import type { RedshiftConfig } from '../config.ts';

export interface BucketDeps {
  readonly config: RedshiftConfig;
  readonly environment: ConnectorEnvironment;
  readonly loadAws: () => Promise<Aws>;
  readonly loadS3: () => Promise<S3>;
}

export interface StoredObject {
  readonly key: string;
  readonly modified: Date | undefined;
}

export interface Bucket {
  /** Lists the objects whose keys begin with the prefix. */
  list(prefix: string): Promise<readonly StoredObject[]>;
  /** Reads an object part by part. Each part is whole in memory before it is passed on, so no connection waits for a reader. */
  read(key: string, signal: AbortSignal): AsyncGenerator<Uint8Array, void, undefined>;
  /** Writes an object at once. */
  write(key: string, body: Uint8Array, signal: AbortSignal): Promise<void>;
  /** Deletes objects; missing ones are no error. */
  remove(keys: readonly string[]): Promise<void>;
  close(): void;
}

const PART_BYTES = 8 * 1024 * 1024;
/** Most keys that one request deletes. */
const MOST_REMOVED = 1000;

/** Opens the bucket with the access key of the connection, or that of its role, which is renewed before it expires. */
export async function openBucket(deps: BucketDeps, name: string, signal: AbortSignal): Promise<Bucket> {
  const { config, environment } = deps;
  const [aws, s3] = await Promise.all([deps.loadAws(), deps.loadS3()]);
  const calling = { config, environment, aws, region: bucketRegionOf(config), signal };
  const secrets = secretsOf(config);
  const named = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    try {
      return await work();
    } catch (failure) {
      signal.throwIfAborted();
      throw nameAwsFailure(failure, secrets);
    }
  };
  const key = await named(() => accessKeyOf(calling));
  const shared = await clientConfig(calling, 's3', undefined);
  const client = new s3.S3Client({
    ...shared,
    forcePathStyle: true,
    ...(key === undefined ? {} : { credentials: key.expiration === undefined ? key : () => renewedKey(calling) }),
  });
  const opened = { s3, client, name, named, timeoutMs: environment.statementTimeoutMs };
  return {
    list: (prefix) => named(() => listAll(s3, client, { Bucket: name, Prefix: prefix })),
    read: (object, stop) => readParts(opened, object, stop),
    write: (object, body, stop) => writeWhole(opened, { key: object, body }, stop),
    async remove(keys) {
      for (let from = 0; from < keys.length; from += MOST_REMOVED) {
        const objects = keys.slice(from, from + MOST_REMOVED).map((object) => ({ Key: object }));
        const asked = new s3.DeleteObjectsCommand({ Bucket: name, Delete: { Objects: objects, Quiet: true } });
        const { Errors: [refused] = [] } = await named(() => client.send(asked));
        if (refused === undefined) continue;
        const failure = new Error(refused.Message ?? '');
        throw nameAwsFailure(Object.assign(failure, { name: refused.Code ?? 'Error' }), secrets);
      }
    },
    close: () => client.destroy(),
  };
}

interface Opened {
  readonly s3: S3;
  readonly client: InstanceType<S3['S3Client']>;
  readonly name: string;
  /** Runs work, whose failure is named as one of AWS. */
  readonly named: <Result>(work: () => Promise<Result>) => Promise<Result>;
  readonly timeoutMs: number;
}

/** Reads ranges of one version of an object: a version that replaces it fails the next range. */
async function* readParts(
  { s3, client, name, named, timeoutMs }: Opened,
  key: string,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  let version = {};
  for (let [from, size] = [0, 1]; from < size; ) {
    const asked = { Bucket: name, Key: key, Range: `bytes=${from}-${from + PART_BYTES - 1}`, ...version };
    const load = async (abortSignal: AbortSignal) => {
      const { Body, ContentRange, ETag } = await client.send(new s3.GetObjectCommand(asked), { abortSignal });
      const bytes = (await Body?.transformToByteArray()) ?? new Uint8Array();
      return { bytes, version: ETag === undefined ? {} : { IfMatch: ETag }, size: Number(ContentRange?.split('/')[1]) };
    };
    const got = await named(() => within(timeoutMs, signal, load));
    if (!(got.size > 0) || got.bytes.length === 0) throw brokenOff(key);
    ({ version, size } = got);
    from += got.bytes.length;
    yield got.bytes;
  }
}

/** Writes an object in one request, which may take as long as a statement: the time of other requests is too short for a slow line. */
async function writeWhole(
  { s3, client, name, named, timeoutMs }: Opened,
  { key, body }: { readonly key: string; readonly body: Uint8Array },
  signal: AbortSignal,
): Promise<void> {
  const asked = new s3.PutObjectCommand({ Bucket: name, Key: key, Body: body });
  const send = (abortSignal: AbortSignal) => client.send(asked, { abortSignal, requestTimeout: timeoutMs });
  await named(() => within(timeoutMs, signal, send));
}

/** Runs work under a signal that also aborts after a time. */
async function within<Result>(
  limitMs: number,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const [done, late] = [new AbortController(), new AbortController()];
  systemClock.sleep(limitMs, done.signal).then(
    () => late.abort(noAnswerWithin(limitMs)),
    () => undefined,
  );
  try {
    return await work(AbortSignal.any([signal, late.signal]));
  } finally {
    done.abort();
  }
}

async function renewedKey(calling: Parameters<typeof accessKeyOf>[0]) {
  const key = await accessKeyOf(calling);
  if (key === undefined) throw new AppError('INTERNAL', 'The role of the connection has no access key.');
  return key;
}

async function listAll(
  s3: S3,
  client: InstanceType<S3['S3Client']>,
  asked: { readonly Bucket: string; readonly Prefix: string },
): Promise<readonly StoredObject[]> {
  const found: StoredObject[] = [];
  for await (const { Contents = [] } of s3.paginateListObjectsV2({ client }, asked)) {
    for (const { Key, LastModified } of Contents) {
      if (Key !== undefined) found.push({ key: Key, modified: LastModified });
    }
  }
  return found;
}

function brokenOff(key: string): AppError {
  return new AppError('WAREHOUSE_SESSION_LOST', `S3 broke off while it sent "${key}".`);
}
