// Errors of real projects, as Google's users published them, replayed to the SDK.
import Type, { type Static } from 'typebox';
import { beforeAll, describe, it } from 'vitest';
import type { Session } from '../../../src/warehouse/index.ts';
import { openReceiver } from '../../support/apis/https-receiver.ts';
import { trustLocalhost } from '../../support/apis/localhost-certificate.ts';
import { externalAccount } from '../../support/bigquery/external-account-file.ts';
import { openIdentityServer } from '../../support/bigquery/identity-server.ts';
import type { QueryAnswer, QueryEngine } from '../../support/bigquery/jobs-api.ts';
import { NUMBERS, openScripted } from '../../support/bigquery/scripted.ts';
import { HttpAnswer, type RecordedConversation } from '../../support/recorded/conversation.ts';
import { expectSaid } from '../../support/recorded/expect-said.ts';
import { readRecorded } from '../../support/recorded/read-recorded.ts';
import { NEVER, readAll, requestOf } from '../reading.ts';

const CLOSED = { additionalProperties: false } as const;
const Text = Type.Optional(Type.String());

const BigQueryAnswer = Type.Union([
  // the answer to the insert of a job
  Type.Object({ api: HttpAnswer }, CLOSED),
  // the error of a job that ran
  Type.Object(
    {
      job: Type.Object(
        { reason: Type.String(), message: Type.String(), location: Text, locationType: Text, domain: Text },
        CLOSED,
      ),
    },
    CLOSED,
  ),
  Type.Object({ exchange: HttpAnswer }, CLOSED),
  Type.Object({ impersonation: HttpAnswer }, CLOSED),
]);
type Recorded = RecordedConversation<Static<typeof BigQueryAnswer>>;

beforeAll(trustLocalhost);

/** Signs in by workload identity, and returns the error of the first call that needs a token. */
async function failureOfSignIn({ answer }: Recorded): Promise<unknown> {
  await using identity = await openIdentityServer();
  await using pool = await openReceiver({
    respond: (_, response) => void response.writeHead(200).end('{"id_token":"jwt"}'),
  });
  identity.refusal = ({ path }) => {
    if ('impersonation' in answer) return path.endsWith(':generateAccessToken') ? answer.impersonation : undefined;
    return 'exchange' in answer && path === '/v1/token' ? answer.exchange : undefined;
  };
  await using scripted = await openScripted({ fields: NUMBERS, rows: [] });
  const config = {
    ...{ project_id: 'my-project', dataset_id: 'shop', workload_identity: externalAccount(pool.url) },
    ...('impersonation' in answer && { impersonate_service_account: 'penstock@my-project.iam.gserviceaccount.com' }),
  };
  await using session = await scripted.openWith(config, {}, identity.origin);
  return await failureOf(session.describe({ sql: 'SELECT n FROM t', parameters: {} }, NEVER));
}

async function failureOfQuery({ answer, during }: Recorded): Promise<unknown> {
  const isMerge = (query: string) => query.startsWith('MERGE');
  const run: QueryEngine['run'] = async ({ query }) => {
    if ('job' in answer && (during !== 'write-back' || isMerge(query))) throw { status: 400, ...answer.job };
    return answerTo(query);
  };
  await using scripted = await openScripted({ fields: NUMBERS, rows: [] }, { run });
  if ('api' in answer) {
    const { status, body } = answer.api;
    scripted.api.fault = ({ method, path }) =>
      method === 'POST' && path === '/jobs' ? { status, body: JSON.stringify(body) } : undefined;
  }
  await using session = await scripted.open({}, { writes: true });
  return await failureOf(during === 'write-back' ? writeBack(session) : readAll(session, requestOf('SELECT n FROM t')));
}

function answerTo(query: string): QueryAnswer {
  if (query.startsWith('SELECT count(*) AS loaded')) return { fields: NUMBERS, rows: [{ f: [{ v: '1' }] }] };
  return { fields: NUMBERS, rows: [], affectedRows: 1 };
}

async function writeBack(session: Session): Promise<unknown> {
  return await session.writeBack?.apply(
    {
      target: {
        table: 'shop.people',
        key: [{ name: 'id', type: 'integer', nativeType: 'INT64' }],
        mpid: { name: 'MPID', type: 'integer', nativeType: 'INT64' },
      },
      rows: [{ key: [1n], readMpid: null, mpid: 7n }],
      staging: 'penstock_stg_1',
      beforeUpdate: async () => [],
      mostListed: 10,
    },
    NEVER,
  );
}

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return await work.then(
    () => undefined,
    (failure: unknown) => failure,
  );
}

const conversations = await readRecorded('bigquery', BigQueryAnswer);

describe('what Google answered', () => {
  it.each(conversations)('$name', async (conversation) => {
    const isSignIn = conversation.during === 'sign-in';
    expectSaid(await (isSignIn ? failureOfSignIn(conversation) : failureOfQuery(conversation)), conversation);
  });
});
