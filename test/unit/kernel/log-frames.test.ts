import { expect, test } from 'vitest';
import { AppError, createLog, framesOf } from '../../../src/kernel/index.ts';

test('the frames of an error and its causes carry none of their words', () => {
  const cause = new Error('Key (email)=(ann@example.org) already exists\n    at ann@example.org');
  const text = framesOf(new Error('ann@example.org is taken', { cause })).join('\n');
  expect(text).toContain('log-frames.test.ts');
  expect(text).not.toContain('ann@example.org');
});

test('what is no error has no frames', () => {
  expect(framesOf('ann@example.org')).toEqual([]);
});

test('a line says of an error where it was thrown, and its words only where they quote nobody', () => {
  const lines: string[] = [];
  const log = createLog('info', { write: (line) => lines.push(line) });
  const detail = Object.assign(new Error('value ann@example.org'), {
    code: '23505',
    detail: 'Key (mail)=(ann@example.org)',
  });
  const quoting = [
    new AppError('STORE_DATA', 'The store cannot hold a value: ann@example.org.', { cause: detail }),
    new AppError('INTERNAL', 'A statement of the store failed: ann@example.org', { cause: detail }),
    new SyntaxError('Unexpected token in ann@example.org'),
    detail,
    'ann@example.org',
  ];
  for (const err of quoting) log.error({ err }, 'failed');
  expect(lines.join()).not.toContain('ann@example.org');
  expect(JSON.parse(lines[0] ?? '').err).toMatchObject({
    code: 'STORE_DATA',
    stack: expect.stringContaining('log-frames'),
  });

  log.error({ err: new AppError('STORE_UNAVAILABLE', 'The store cannot be reached.') }, 'failed');
  log.error({ err: Object.assign(new Error("ENOENT: no such file, open '/tls.pem'"), { code: 'ENOENT' }) }, 'failed');
  expect(lines.slice(-2).map((line) => JSON.parse(line).err.message)).toEqual([
    'The store cannot be reached.',
    "ENOENT: no such file, open '/tls.pem'",
  ]);
});
