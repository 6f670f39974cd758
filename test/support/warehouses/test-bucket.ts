// A bucket of moto's S3, seen from the side of the customer.
import {
  CreateBucketCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { serverOf } from './on-server.ts';

const KEY = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'secret' };
const REGION = 'eu-west-1';

/** Returns the fields by which a connection of Redshift uses a folder of the bucket. */
export function bucketFields(bucket: string): Readonly<Record<string, string>> {
  return {
    ...{ s3_uri: `s3://${bucket}/loads`, s3_iam_role: 'arn:aws:iam::123456789012:role/load', aws_region: REGION },
    ...{ aws_access_key_id: KEY.accessKeyId, aws_secret_access_key: KEY.secretAccessKey },
  };
}

async function ask<Result>(work: (client: S3Client) => Promise<Result>): Promise<Result> {
  const { endpoint } = serverOf('aws').endpoints.aws;
  const client = new S3Client({ region: REGION, endpoint, credentials: KEY, forcePathStyle: true });
  return await work(client).finally(() => client.destroy());
}

/** Creates the bucket unless it is there. */
export async function createBucket(bucket: string): Promise<void> {
  const asked = new CreateBucketCommand({ Bucket: bucket, CreateBucketConfiguration: { LocationConstraint: REGION } });
  await ask((client) => client.send(asked)).catch(() => undefined);
}

export async function keysIn(bucket: string, prefix = ''): Promise<readonly string[]> {
  const asked = new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix });
  const { Contents = [] } = await ask((client) => client.send(asked));
  return Contents.map(({ Key }) => Key ?? '');
}

export async function putObject(bucket: string, key: string, body: Uint8Array): Promise<void> {
  await ask((client) => client.send(new PutObjectCommand({ Bucket: bucket, Key: key, Body: body })));
}

/** Reads the objects whose keys begin with the prefix. */
export async function getObjects(bucket: string, prefix: string): Promise<readonly Uint8Array[]> {
  const keys = await keysIn(bucket, prefix);
  const get = async (client: S3Client, key: string) => {
    const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key }));
    return (await Body?.transformToByteArray()) ?? new Uint8Array();
  };
  return await ask((client) => Promise.all(keys.map((key) => get(client, key))));
}

export async function emptyBucket(bucket: string): Promise<void> {
  const left = (await keysIn(bucket)).map((key) => ({ Key: key }));
  if (left.length === 0) return;
  await ask((client) => client.send(new DeleteObjectsCommand({ Bucket: bucket, Delete: { Objects: left } })));
}
