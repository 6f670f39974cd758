import { expect, it } from 'vitest';
import { findNaming } from '../../../src/dsr/work/find-naming.ts';
import { createNamesPerson } from '../../../src/identity/index.ts';

const ANN = 'ann@example.com';
const namesAnn = createNamesPerson({ identities: [{ type: 'email', value: ANN }], mpids: [] });

const recordsOf = (count: number, onRead: () => void = () => undefined) =>
  Array.from({ length: count }, (_, ref) => {
    const read = () => {
      onRead();
      return { note: ref % 40 === 0 ? ANN : 'somebody else' };
    };
    return { ref, read };
  });

it('finds who is named in each slice of the records', async () => {
  const { found, namesPerson } = await findNaming(recordsOf(121), async () => namesAnn);
  expect(found.map(({ ref }) => ref)).toEqual([0, 40, 80, 120]);
  expect([namesPerson({ note: ANN }), namesPerson({ note: 'somebody else' })]).toEqual([true, false]);
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
  await findNaming(recordsOf(100, onRead), async () => namesAnn);
  isOver = true;
  expect(most).toBeLessThanOrEqual(5);
});
