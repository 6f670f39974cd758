import { expect, test } from 'vitest';
import { writeBehind } from '../../../src/runs/write-back/write-keys.ts';

function pieces() {
  const begun: PromiseWithResolvers<void>[] = [];
  const writing = writeBehind(() => {
    const piece = Promise.withResolvers<void>();
    begun.push(piece);
    return piece.promise;
  });
  return { begun, writing };
}

const turns = async () => {
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
};

test('one piece is under way while its caller goes on, and never two', async () => {
  const { begun, writing } = pieces();
  await writing.next();
  const second = writing.next();
  await turns();
  expect(begun).toHaveLength(1);
  begun[0]?.resolve();
  await second;
  expect(begun).toHaveLength(2);
});

test('the end is that of the last piece', async () => {
  const { begun, writing } = pieces();
  let isOver = false;
  const end = writing.end().then(() => {
    isOver = true;
  });
  await turns();
  expect([begun.length, isOver]).toEqual([1, false]);
  begun[0]?.resolve();
  await end;
});

test('what a piece throws is thrown by the next call, and nothing begins after it', async () => {
  const { begun, writing } = pieces();
  await writing.next();
  begun[0]?.reject(new Error('lost'));
  await expect(writing.next()).rejects.toThrow('lost');
  await expect(writing.end()).rejects.toThrow('lost');
  expect(begun).toHaveLength(1);
});

test('who leaves early waits for what is under way, whatever becomes of it', async () => {
  const { begun, writing } = pieces();
  await writing.next();
  let isSettled = false;
  const settled = writing.settled().then(() => {
    isSettled = true;
  });
  await turns();
  expect(isSettled).toBe(false);
  begun[0]?.reject(new Error('lost'));
  await settled;
});
