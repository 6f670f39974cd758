import { expect, test } from 'vitest';
import { framesOf } from '../../../src/kernel/index.ts';

test('the frames of an error and its causes carry none of their words', () => {
  const cause = new Error('Key (email)=(ann@example.org) already exists\n    at ann@example.org');
  const text = framesOf(new Error('ann@example.org is taken', { cause })).join('\n');
  expect(text).toContain('log-frames.test.ts');
  expect(text).not.toContain('ann@example.org');
});

test('what is no error has no frames', () => {
  expect(framesOf('ann@example.org')).toEqual([]);
});
