// Errors of real workspaces, as their users and the vendor published them, replayed to the SDK.
import Type, { type Static } from 'typebox';
import { describe, expect, it } from 'vitest';
import type { Session, WriteBackTarget } from '../../../src/warehouse/index.ts';
import type { WireBehaviour } from '../../support/fakes/databricks-wire.ts';
import { HttpAnswer, type RecordedConversation } from '../../support/recorded/conversation.ts';
import { expectSaid } from '../../support/recorded/expect-said.ts';
import { readRecorded } from '../../support/recorded/read-recorded.ts';
import { T } from '../../support/servers/databricks/thrift.ts';
import { NEVER, readAll, requestOf } from '../reading.ts';
import { applyRequest, staged, writeBackOf } from '../writing-back.ts';
import { answers, openWire, texts } from './on-wire.ts';

const CLOSED = { additionalProperties: false } as const;

const DatabricksAnswer = Type.Union([
  Type.Object({ token: HttpAnswer, from: Type.Enum(['entra', 'workspace']) }, CLOSED),
  Type.Object({ service: HttpAnswer }, CLOSED),
  // a refusal of the protocol, at once with `call`, else when the statement ends or its rows are fetched
  Type.Object(
    {
      refused: Type.String(),
      sqlState: Type.Optional(Type.String()),
      call: Type.Optional(Type.Literal('ExecuteStatement')),
    },
    CLOSED,
  ),
]);
type Recorded = RecordedConversation<Static<typeof DatabricksAnswer>>;

const SECRET = 'dose-s3cret';
const PRINCIPAL = { client_id: 'a1b2', client_secret: SECRET };
const TARGET: WriteBackTarget = {
  table: 'shop.people',
  key: [{ name: 'customer_id', type: 'integer', nativeType: 'int' }],
  mpid: { name: 'MPID', type: 'integer', nativeType: 'bigint' },
};

const described = { columnSet: [texts('n'), texts('string')] };
const healthy = answers({
  DESCRIBE: described,
  'SELECT count(*)': { columnSet: [texts('1')] },
  SELECT: { columnSet: [texts('one')] },
});

function configOf({ answer }: Recorded): object {
  if (!('token' in answer)) return { token: SECRET };
  if (answer.from === 'workspace') return PRINCIPAL;
  return { ...PRINCIPAL, host: 'adb-1.2.azuredatabricks.net', azure_tenant_id: 'contoso.onmicrosoft.com' };
}

function behaviourOf({ answer, during }: Recorded): WireBehaviour {
  if ('token' in answer)
    return { answer: healthy, oauth: { clientId: '', clientSecret: '' }, signInAnswer: answer.token };
  if ('service' in answer) return { answer: healthy, serviceAnswer: answer.service };
  const status = new T.TStatus({ statusCode: T.TStatusCode.ERROR_STATUS, errorMessage: answer.refused });
  if (answer.sqlState !== undefined) status.sqlState = answer.sqlState;
  if (during === 'fetch') return { answer: healthy, instead: () => new T.TFetchResultsResp({ status }) };
  const isStatement = (sql: string) => sql.startsWith(during === 'write-back' ? 'MERGE' : 'DESCRIBE');
  if (answer.call !== undefined) return { answer: healthy, atOnce: (sql) => (isStatement(sql) ? status : undefined) };
  return { answer: (sql, settings) => (isStatement(sql) ? answer : healthy(sql, settings)) };
}

async function workOf(session: Session, { during }: Recorded): Promise<unknown> {
  if (during === 'sign-in') return await session.clock(NEVER);
  if (during === 'write-back') return await writeBackOf(session).apply(applyRequest(TARGET, [staged([1n], 7n)]), NEVER);
  return await readAll(session, requestOf('SELECT n FROM t'));
}

const conversations = await readRecorded('databricks', DatabricksAnswer);

describe('a recorded error', () => {
  it.each(conversations)('$name', async (conversation) => {
    await using opened = await openWire(behaviourOf(conversation), configOf(conversation), { writes: true });
    const failure = await workOf(opened.session, conversation).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    expectSaid(failure, conversation);
    expect(String(failure)).not.toContain(SECRET);
  });
});
