import { expect, test } from 'vitest';
import { ensureStaging } from '../../vendor/accounts/own-staging.ts';
import { inOwnSpace, leftSpaces, nameSpace } from '../../vendor/own-space.ts';
import { redactor } from '../../vendor/redact.ts';
import { dropOf } from '../../vendor/vendor-fixture.ts';

const SPACE = { name: 'penstock_vendor_x', removal: 'npm run vendor -- x --remove-leftovers' };

/** Opens an account that keeps its spaces in a set. */
function openSet(failing: { readonly create?: true; readonly drop?: true } = {}) {
  const spaces = new Set<string>();
  const opened = { now: 0 };
  const account = {
    async createSpace(name: string) {
      spaces.add(name);
      if (failing.create) throw new Error('created, but the answer was lost');
      return false;
    },
    async dropSpace(name: string) {
      if (failing.drop) throw new Error('no right to drop');
      spaces.delete(name);
    },
    async [Symbol.asyncDispose]() {
      opened.now -= 1;
    },
  };
  const open = async () => {
    opened.now += 1;
    return account;
  };
  return { spaces, opened, open };
}

test('a space is there for the work and gone after it', async () => {
  const account = openSet();
  expect(await inOwnSpace(account.open, SPACE, async () => [...account.spaces])).toEqual([SPACE.name]);
  expect(account.spaces.size).toBe(0);
});

test('a space is dropped after work that fails, and after a creation that failed on its way back', async () => {
  const account = openSet();
  await expect(inOwnSpace(account.open, SPACE, () => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
  expect(account.spaces.size).toBe(0);
  const lossy = openSet({ create: true });
  await expect(inOwnSpace(lossy.open, SPACE, async () => 1)).rejects.toThrow('the answer was lost');
  expect(lossy.spaces.size).toBe(0);
});

test('a space that cannot be dropped is named, with the command that removes it and what came before', async () => {
  const work = inOwnSpace(openSet({ drop: true }).open, SPACE, () => Promise.reject(new Error('broken')));
  await expect(work).rejects.toThrow(
    'penstock_vendor_x could not be dropped: no right to drop. Remove it by `npm run vendor -- x --remove-leftovers`. Before that: broken',
  );
});

test('what is left of earlier runs is found by its name, in any case', async () => {
  const name = nameSpace(new Date('2026-11-23T01:30:59Z'));
  expect(name).toMatch(/^penstock_vendor_202611230130_[0-9a-f]{6}$/);
  const spaces = async () => ['public', name.toUpperCase(), name, 'penstock', 'my_penstock_vendor_1'];
  expect(await leftSpaces({ spaces })).toEqual([name.toUpperCase(), name]);
});

test('no account is kept open during the work, which takes longer than a service keeps an idle connection', async () => {
  const account = openSet();
  expect(await inOwnSpace(account.open, SPACE, async () => account.opened.now)).toBe(0);
  expect(account.opened.now).toBe(0);
});

test('the staging schema is dropped by the run that created it, and by no other', async () => {
  const schemas = new Set<string>();
  const steps = { has: async () => schemas.has('penstock'), create: async () => void schemas.add('penstock') };
  expect(await ensureStaging(steps)).toBe(true);
  expect(await ensureStaging(steps)).toBe(false);
  const dropped: boolean[] = [];
  const run = (creates: boolean) =>
    inOwnSpace(
      async () => ({
        createSpace: async () => creates,
        dropSpace: async (_name, withStaging) => void dropped.push(withStaging),
        [Symbol.asyncDispose]: async () => undefined,
      }),
      SPACE,
      async () => undefined,
    );
  await run(true);
  await run(false);
  expect(dropped).toEqual([true, false]);
});

test('what a test creates is dropped by the same name', () => {
  expect(dropOf('CREATE TABLE people (a INTEGER)')).toEqual(['DROP TABLE IF EXISTS people']);
  expect(dropOf('CREATE TABLE "Odd ""table" ("Key 1" INTEGER)')).toEqual(['DROP TABLE IF EXISTS "Odd ""table"']);
  expect(dropOf('CREATE TABLE `Odd-table 1` (a INTEGER)')).toEqual(['DROP TABLE IF EXISTS `Odd-table 1`']);
  expect(dropOf('CREATE TABLE penstock.mine (a INT64)')).toEqual(['DROP TABLE IF EXISTS penstock.mine']);
  expect(dropOf('INSERT INTO people VALUES (1)')).toEqual([]);
});

test('no secret passes, whole, line by line or in an address', () => {
  const key = '-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkq\n-----END PRIVATE KEY-----';
  const redact = redactor([key, 'pass/word', 'pass']);
  expect(redact(`a ${key} b`)).toBe('a *** b');
  expect(redact('at MIIEvQIBADANBgkq')).toBe('at ***');
  expect(redact(JSON.stringify({ key }))).toBe('{"key":"***"}');
  expect(redact('postgres://me:pass%2Fword@host and pass/word')).toBe('postgres://me:***@host and ***');
  expect(redactor([])('as it is')).toBe('as it is');
});
