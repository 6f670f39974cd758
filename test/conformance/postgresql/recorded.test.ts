// Errors of managed services and poolers, as their users published them, replayed to the driver.
import { describe, expect, it } from 'vitest';
import { redshift } from '../../../connectors/redshift/index.ts';
import { openFakePostgres, says } from '../../support/fakes/fake-postgres.ts';
import { warehouseEnvironment } from '../../support/fakes/warehouse-environment.ts';
import { PostgresAnswer } from '../../support/recorded/conversation.ts';
import { expectSaid } from '../../support/recorded/expect-said.ts';
import { readRecorded } from '../../support/recorded/read-recorded.ts';
import { NEVER, readAll, requestOf } from '../reading.ts';

const LOGIN = [says.authentication(0), says.keys(), says.ready()];
const VERSION = [
  says.columns([{ name: 'version', type: 25 }]),
  says.row(['PostgreSQL 16.4 on x86_64-pc-linux-gnu']),
  says.complete('SELECT 1'),
  says.ready(),
];
const PASSWORD = 'p4ssw0rd';
const conversations = await readRecorded('postgresql', PostgresAnswer);

/** Opens a server that signs a client in, begins its transaction and gives the answer at the sign-in or at the first statement. */
function serverThatAnswers(during: string, answer: Buffer) {
  return openFakePostgres(({ type, text }) => {
    if (type === 'startup') return during === 'sign-in' ? [answer] : LOGIN;
    if (type === 'Q') return text.includes('version()') ? VERSION : [says.complete('BEGIN'), says.ready()];
    return type === 'P' ? [answer] : [];
  });
}

describe('a recorded error', () => {
  it.each(conversations)('$name', async (conversation) => {
    await using server = await serverThatAnswers(conversation.during, says.errorOf(conversation.answer.fields));
    const config = { host: '127.0.0.1', port: String(server.port), database: 'd', user: 'u', password: PASSWORD };
    await using session = await redshift.open({ ...config, sslmode: 'disable' }, warehouseEnvironment(), NEVER);
    const failure = await readAll(session, requestOf('SELECT n FROM t')).catch((thrown: unknown) => thrown);
    expectSaid(failure, conversation);
    expect(String(failure)).not.toContain(PASSWORD);
  });
});
