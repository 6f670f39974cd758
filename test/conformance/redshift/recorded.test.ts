// Errors of real clusters, as their owners published them, replayed to the driver.
import { describe, expect, it } from 'vitest';
import { redshift } from '../../../connectors/redshift/index.ts';
import type { WriteBackTarget } from '../../../src/warehouse/index.ts';
import { type FakePostgres, says } from '../../support/fakes/fake-postgres.ts';
import { openFakeRedshift } from '../../support/fakes/fake-redshift.ts';
import { openTakingRedshift } from '../../support/fakes/taking-redshift.ts';
import { warehouseEnvironment } from '../../support/fakes/warehouse-environment.ts';
import { PostgresAnswer, type RecordedConversation } from '../../support/recorded/conversation.ts';
import { expectSaid } from '../../support/recorded/expect-said.ts';
import { readRecorded } from '../../support/recorded/read-recorded.ts';
import { NEVER, readAll, requestOf } from '../reading.ts';
import { applyRequest, staged, writeBackOf } from '../writing-back.ts';

type Recorded = RecordedConversation<{ readonly fields: Readonly<Record<string, string>> }>;

const TARGET: WriteBackTarget = {
  table: 'shop.people',
  key: [{ name: 'customer_id', type: 'integer', nativeType: 'integer' }],
  mpid: { name: 'mpid', type: 'integer', nativeType: 'bigint' },
};
const PASSWORD = 'p4ssw0rd';

function openOn({ port }: FakePostgres) {
  const config = { host: '127.0.0.1', port: String(port), database: 'd', user: 'u', password: PASSWORD };
  return redshift.open({ ...config, sslmode: 'disable' }, { ...warehouseEnvironment(), writes: true }, NEVER);
}

function serverOf({ during, answer }: Recorded): Promise<FakePostgres> {
  const error = says.errorOf(answer.fields);
  return during === 'write-back'
    ? openTakingRedshift({ holds: 'UPDATE', error })
    : openFakeRedshift(10, { fails: { during, error } });
}

async function failureOf(server: FakePostgres, { during }: Recorded): Promise<unknown> {
  await using session = await openOn(server);
  const work =
    during === 'write-back'
      ? writeBackOf(session).apply(applyRequest(TARGET, [staged([1n], 7n), staged([2n], 8n)]), NEVER)
      : readAll(session, requestOf('SELECT n FROM t'));
  return await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
}

const conversations = await readRecorded('redshift', PostgresAnswer);

describe('a recorded error', () => {
  it.each(conversations)('$name', async (conversation) => {
    await using server = await serverOf(conversation);
    const failure = await failureOf(server, conversation);
    expectSaid(failure, conversation);
    expect(String(failure)).not.toContain(PASSWORD);
  });
});
