// Errors of S3, as their owners published them, replayed to the SDK of AWS while a full load is read.
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { redshift } from '../../../connectors/redshift/index.ts';
import { openPostgresWarehouse } from '../../support/fakes/postgres-warehouse.ts';
import { openUnloadingRedshift } from '../../support/fakes/unloading-redshift.ts';
import { warehouseEnvironment } from '../../support/fakes/warehouse-environment.ts';
import { HttpAnswer, type RecordedConversation } from '../../support/recorded/conversation.ts';
import { expectSaid } from '../../support/recorded/expect-said.ts';
import { readRecorded } from '../../support/recorded/read-recorded.ts';
import { NEVER, readAll, requestOf } from '../reading.ts';

interface Http {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: unknown;
}

const SECRET = 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY';
const BUCKET = {
  ...{ s3_uri: 's3://shop-penstock/loads', s3_iam_role: 'default', aws_region: 'eu-west-1' },
  ...{ aws_access_key_id: 'AKIAIOSFODNN7EXAMPLE', aws_secret_access_key: SECRET },
};

/** Opens an S3 that answers every request alike. */
async function openS3({ status, headers, body }: Http) {
  const server = createServer((_, response) => response.writeHead(status, headers).end(String(body)));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

async function failureOf({ answer }: RecordedConversation<Http>): Promise<unknown> {
  await using s3 = await openS3(answer);
  await using warehouse = await openPostgresWarehouse();
  await using server = await openUnloadingRedshift({ warehouse, put: async () => undefined });
  const config = { ...warehouse.config, host: '127.0.0.1', port: String(server.port), ...BUCKET };
  const environment = warehouseEnvironment({ endpoints: { aws: { endpoint: s3.endpoint } } });
  await using session = await redshift.open(config, environment, NEVER);
  const failure = await readAll(session, requestOf('SELECT 1 AS n', { snapshotKey: 'a'.repeat(32) })).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(server.received.filter((entry) => entry.includes('UNLOAD'))).toEqual([]);
  return failure;
}

const conversations = await readRecorded('redshift/s3', HttpAnswer);

describe('a recorded error of S3', () => {
  it.each(conversations)('$name', async (conversation) => {
    const failure = await failureOf(conversation);
    expectSaid(failure, conversation);
    expect(String(failure)).not.toContain(SECRET);
  });
});
