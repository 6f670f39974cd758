import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Type } from 'typebox';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AppError } from '../../src/kernel/index.ts';
import { HttpAnswer, PostgresAnswer } from '../support/recorded/conversation.ts';
import { expectSaid } from '../support/recorded/expect-said.ts';
import { readConversations, readRecorded } from '../support/recorded/read-recorded.ts';

const GOOD = {
  about: 'A role without a grant runs a statement.',
  source: { title: 'A question in a forum', url: 'https://example.com/issues/7' },
  during: 'statement',
  answer: { status: 403, headers: { 'retry-after': '1' }, body: { error: 'no grant' } },
  says: { code: 'WAREHOUSE_PERMISSION', disposition: 'fault', message: 'no grant' },
};

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'recorded-'));
});
afterEach(() => rm(folder, { recursive: true }));

const put = (conversation: unknown, name = 'no-grant.json') =>
  writeFile(join(folder, name), typeof conversation === 'string' ? conversation : JSON.stringify(conversation));

describe('recorded conversations', () => {
  it('are read by name of file', async () => {
    await put(GOOD, 'b.json');
    await put({ ...GOOD, answer: { status: 500, body: 'a text' } }, 'a.json');
    const read = await readConversations(folder, HttpAnswer);
    expect(read.map(({ name, answer }) => [name, answer.status])).toEqual([
      ['a', 500],
      ['b', 403],
    ]);
    expect(read[1]).toEqual({ ...GOOD, name: 'b' });
  });

  it.each([
    ['an unknown field', { ...GOOD, note: 'x' }, '["note"]'],
    ['an unknown field of the source', { ...GOOD, source: { ...GOOD.source, by: 'x' } }, '/source must not have'],
    ['an unknown field of the answer', { ...GOOD, answer: { ...GOOD.answer, text: 'x' } }, '/answer must not have'],
    ['an unknown field of what is said', { ...GOOD, says: { ...GOOD.says, hint: 'x' } }, '/says must not have'],
    ['a source without a title', { ...GOOD, source: { ...GOOD.source, title: ' ' } }, '/source/title'],
    ['a source without an address', { ...GOOD, source: { ...GOOD.source, url: '' } }, '/source/url'],
    ['a source that is no page of the web', { ...GOOD, source: { title: 'x', url: 'memory' } }, '/source/url'],
    ['no source', { ...GOOD, source: undefined }, '["source"]'],
    ['another time', { ...GOOD, during: 'breakfast' }, '/during'],
    ['a code that is not of warehouses', { ...GOOD, says: { ...GOOD.says, code: 'INTERNAL' } }, '/says/code'],
    ['a code that nobody knows', { ...GOOD, says: { ...GOOD.says, code: 'WAREHOUSE_ASLEEP' } }, 'is no error code'],
    ['a disposition that is not the code’s', { ...GOOD, says: { ...GOOD.says, disposition: 'retry' } }, 'is fault'],
    ['a text that is no JSON', '{', 'no-grant.json: '],
  ])('with %s are refused', async (_what, conversation, complaint) => {
    await put(conversation);
    await expect(readConversations(folder, HttpAnswer)).rejects.toThrow(complaint);
  });

  it('name all files that are wrong', async () => {
    await put({ ...GOOD, note: 'x' }, 'a.json');
    await put(GOOD, 'Not Kebab.json');
    await expect(readConversations(folder, HttpAnswer)).rejects.toThrow(/^Not Kebab\.json: .*\na\.json: .*note/);
  });

  it('are not an empty folder', async () => {
    await expect(readConversations(folder, HttpAnswer)).rejects.toThrow('is empty');
    await expect(readRecorded('nobody', HttpAnswer)).rejects.toThrow(/test\/conformance\/nobody\/recorded/);
  });

  it('hold the answer in the form of the provider', async () => {
    await put({ ...GOOD, answer: { fields: { S: 'ERROR', C: '42501', M: 'permission denied' } } });
    const either = Type.Union([HttpAnswer, PostgresAnswer]);
    await expect(readConversations(folder, either)).resolves.toHaveLength(1);
    await expect(readConversations(folder, HttpAnswer)).rejects.toThrow('/answer must have required properties');
  });
});

describe('what a conversation says', () => {
  it('is held against the connector’s error', () => {
    const failure = new AppError('WAREHOUSE_PERMISSION', 'The role has no grant on T.');
    expectSaid(failure, GOOD);
    expect(() => expectSaid(failure, { says: { ...GOOD.says, message: 'no key' } })).toThrow();
    expect(() => expectSaid(failure, { says: { ...GOOD.says, code: 'WAREHOUSE_DATA' } })).toThrow();
    expect(() => expectSaid(new Error('no grant'), GOOD)).toThrow('threw no AppError');
  });
});
