// Errors of real accounts, as Snowflake's documents and public trackers have them, replayed to the SDK.
import { describe, expect, it } from 'vitest';
import type { WriteBackTarget } from '../../../src/warehouse/index.ts';
import { type FakeAnswer, type FakeBehaviour, openFakeSnowflake } from '../../support/fakes/fake-snowflake.ts';
import { HttpAnswer, type RecordedConversation } from '../../support/recorded/conversation.ts';
import { expectSaid } from '../../support/recorded/expect-said.ts';
import { readRecorded } from '../../support/recorded/read-recorded.ts';
import { NEVER, readAll, requestOf } from '../reading.ts';
import { applyRequest, staged, writeBackOf } from '../writing-back.ts';
import { CONFIG, failureOf, openOn } from './open-on.ts';

type Recorded = RecordedConversation<FakeAnswer>;

const TARGET: WriteBackTarget = {
  table: 'shop.people',
  key: [{ name: 'ID', type: 'text', nativeType: 'TEXT' }],
  mpid: { name: 'MPID', type: 'integer', nativeType: 'NUMBER(38,0)' },
};

function behaviourOf({ during, answer }: Recorded): FakeBehaviour {
  return during === 'sign-in' ? { signIn: () => answer } : { answer: () => answer };
}

const conversations = await readRecorded('snowflake', HttpAnswer);

describe('a recorded error', () => {
  it.each(conversations)('$name', async (conversation) => {
    await using server = await openFakeSnowflake(behaviourOf(conversation));
    await using session = await openOn(server.port, {}, { writes: true });
    const failure = await failureOf(() =>
      conversation.during === 'write-back'
        ? writeBackOf(session).apply(applyRequest(TARGET, [staged('ann', 7n)]), NEVER)
        : readAll(session, requestOf('SELECT n FROM t')),
    );
    expectSaid(failure, conversation);
    expect(String(failure)).not.toContain(CONFIG.password);
  });
});
