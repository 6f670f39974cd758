import { expect, it } from 'vitest';
import { findMentions } from '../../../src/dsr/work/find-mentions.ts';
import { createMentionMatcher } from '../../../src/identity/index.ts';

const ANN = 'ann@example.com';
const namesAnn = createMentionMatcher({ identities: [{ type: 'email', value: ANN }], mpids: [] });

const recordsOf = (count: number, onRead: () => void = () => undefined) =>
  Array.from({ length: count }, (_, ref) => {
    const read = () => {
      onRead();
      return { note: ref % 40 === 0 ? ANN : 'somebody else' };
    };
    return { ref, read };
  });

it('finds who is named in each slice of the records', async () => {
  const { found, mentionsPerson } = await findMentions(recordsOf(121), async () => namesAnn);
  expect(found.map(({ ref }) => ref)).toEqual([0, 40, 80, 120]);
  expect([mentionsPerson({ note: ANN }), mentionsPerson({ note: 'somebody else' })]).toEqual([true, false]);
});

it('lets others have a turn between every few records, which may be long', async () => {
  let inOneTurn = 0;
  let most = 0;
  let isOver = false;
  const tick = () => {
    inOneTurn = 0;
    if (!isOver) setImmediate(tick);
  };
  tick();
  const onRead = () => {
    most = Math.max(most, ++inOneTurn);
  };
  await findMentions(recordsOf(100, onRead), async () => namesAnn);
  isOver = true;
  expect(most).toBeLessThanOrEqual(5);
});
