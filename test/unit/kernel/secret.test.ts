import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { AppError, createLog, equalsInConstantTime, Secret, sha256, stringifyJson } from '../../../src/kernel/index.ts';

const TEXT = 'hunter2-hunter2';
const secret = new Secret(TEXT);

function logged(write: (log: ReturnType<typeof createLog>) => void): string {
  const lines: string[] = [];
  write(createLog('info', { write: (line) => lines.push(line) }));
  return lines.join('');
}

describe('Secret', () => {
  test('is given out by reveal only', () => {
    expect(secret.reveal()).toBe(TEXT);
  });

  test.each<[string, () => string]>([
    ['a template', () => `${secret}`],
    ['String()', () => String(secret)],
    ['JSON', () => JSON.stringify({ secret, list: [secret] })],
    ['lossless JSON', () => stringifyJson({ secret, big: 1n })],
    ['inspect', () => inspect({ secret }, { depth: 9, showHidden: true })],
    ['an error', () => String(new AppError('INTERNAL', `Cannot use ${secret}.`, { cause: secret }).stack)],
    ['a spread', () => JSON.stringify({ ...secret })],
    ['its keys', () => JSON.stringify([Object.entries(secret), Object.getOwnPropertyNames(secret)])],
    ['a log line', () => logged((log) => log.info({ harmless: secret, deep: { deeper: { value: secret } } }, 'x'))],
    ['a logged error', () => logged((log) => log.error({ err: new Error(`no ${secret}`, { cause: secret }) }, 'x'))],
  ])('is not printed by %s', (_where, print) => {
    expect(print()).not.toContain('hunter2');
  });
});

describe('the log', () => {
  test('writes one JSON line with event and fields', () => {
    const line = JSON.parse(logged((log) => log.info({ run: 7 }, 'run.started'))) as unknown;
    expect(line).toMatchObject({ run: 7, msg: 'run.started', time: expect.stringMatching(/Z$/) });
  });

  test('hides fields with the name of a secret, three levels deep', () => {
    const text = logged((log) =>
      log.info({
        password: TEXT,
        config: { token: TEXT, key: { client_secret: TEXT } },
        body: { a: { secret: TEXT } },
      }),
    );
    expect(text).not.toContain('hunter2');
    expect(text).toContain('***');
  });

  test('is silent below its level', () => {
    expect(logged((log) => log.debug({}, 'x'))).toBe('');
  });
});

describe('comparison', () => {
  test('finds equal and unequal texts of any length', () => {
    expect(equalsInConstantTime('a', 'a')).toBe(true);
    expect(equalsInConstantTime('', '')).toBe(true);
    expect(equalsInConstantTime('a', 'aa')).toBe(false);
    expect(equalsInConstantTime('ä', 'a')).toBe(false);
  });

  test('sha256 hashes the UTF-8 text', () => {
    expect(sha256('abc').toString('hex')).toMatch(/^ba7816bf8f01cfea/);
  });
});
