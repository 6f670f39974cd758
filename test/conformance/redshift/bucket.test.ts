// An S3 that breaks off, falls silent or refuses single objects, met by the SDK of AWS.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { type Bucket, openBucket } from '../../../connectors/redshift/s3/bucket.ts';
import { loadAws, loadS3 } from '../../../connectors/redshift/session.ts';
import { warehouseEnvironment } from '../../support/fakes/warehouse-environment.ts';
import { NEVER } from '../reading.ts';

const CONFIG = {
  ...{ host: 'localhost', database: 'd', user: 'u', password: 'p', aws_region: 'eu-west-1' },
  ...{ aws_access_key_id: 'AKIAIOSFODNN7EXAMPLE', aws_secret_access_key: 'secret' },
};
const HALF = { 'content-range': 'bytes 0-9/10', 'content-length': '10', etag: '"a"' };

async function outcomeOf(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  use: (bucket: Bucket) => Promise<unknown>,
): Promise<unknown> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const environment = warehouseEnvironment({ statementTimeoutMs: 300, endpoints: { aws: { endpoint } } });
  const bucket = await openBucket({ config: CONFIG, environment, loadAws, loadS3 }, 'shop', NEVER);
  const outcome = await use(bucket).catch((failure: unknown) => failure);
  bucket.close();
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
  return outcome;
}

async function bytesOf(bucket: Bucket): Promise<number> {
  let count = 0;
  for await (const part of bucket.read('a', NEVER)) count += part.length;
  return count;
}

describe('a bucket of S3', () => {
  it('that falls silent within an object fails the read', async () => {
    const failure = await outcomeOf((_, response) => void response.writeHead(206, HALF).write('12345'), bytesOf);
    expect(failure).toMatchObject({ code: 'WAREHOUSE_UNREACHABLE' });
  });

  it('that breaks off within an object fails the read', async () => {
    const answer = (_: IncomingMessage, response: ServerResponse) =>
      void response.writeHead(206, HALF).write('12345', () => response.destroy());
    expect(await outcomeOf(answer, bytesOf)).toMatchObject({ code: 'WAREHOUSE_UNREACHABLE' });
  });

  it('is asked for the next range of the same version until an object is whole', async () => {
    const asked: unknown[] = [];
    const answer = ({ headers }: IncomingMessage, response: ServerResponse) => {
      asked.push([headers.range, headers['if-match']]);
      response.writeHead(206, { ...HALF, 'content-length': '5' }).end('12345');
    };
    expect(await outcomeOf(answer, bytesOf)).toBe(10);
    expect(asked).toEqual([
      ['bytes=0-8388607', undefined],
      ['bytes=5-8388612', '"a"'],
    ]);
  });

  it('that falls silent while an object is written fails the write', async () => {
    const write = (bucket: Bucket) => bucket.write('a', Buffer.from('12345'), NEVER);
    expect(await outcomeOf(() => undefined, write)).toMatchObject({ code: 'WAREHOUSE_UNREACHABLE' });
  });

  it('that refuses an object names the policy to change', async () => {
    const body = '<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>';
    const answer = (_: IncomingMessage, response: ServerResponse) =>
      void response.writeHead(403, { 'content-type': 'application/xml' }).end(body);
    expect(await outcomeOf(answer, (bucket) => bucket.write('a', Buffer.from('12345'), NEVER))).toMatchObject({
      code: 'WAREHOUSE_PERMISSION',
      message: expect.stringContaining('policy'),
    });
  });

  it('that refuses to delete one object, in an answer of status 200, fails the deletion', async () => {
    const body =
      '<DeleteResult><Error><Key>a</Key><Code>AccessDenied</Code><Message>Access Denied</Message></Error></DeleteResult>';
    const answer = (_: IncomingMessage, response: ServerResponse) =>
      void response.writeHead(200, { 'content-type': 'application/xml' }).end(body);
    expect(await outcomeOf(answer, (bucket) => bucket.remove(['a', 'b']))).toMatchObject({
      code: 'WAREHOUSE_PERMISSION',
      message: expect.stringContaining('policy'),
    });
  });
});
