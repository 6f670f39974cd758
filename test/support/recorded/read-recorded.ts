import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Static, TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { ERROR_CODES, messageOf } from '../../../src/kernel/index.ts';
import { Conversation, type RecordedConversation } from './conversation.ts';

/** Reads `test/conformance/<provider>/recorded/`, by name of file. `answer` is the schema of what the wire server replays. */
export function readRecorded<Answer extends TSchema>(provider: string, answer: Answer) {
  return readConversations(fileURLToPath(new URL(`../../conformance/${provider}/recorded`, import.meta.url)), answer);
}

/** Reads the conversations of a folder. Throws one error that lists what is wrong in all of its files. */
export async function readConversations<Answer extends TSchema>(
  folder: string,
  answer: Answer,
): Promise<readonly RecordedConversation<Static<Answer>>[]> {
  const conversations: RecordedConversation<Static<Answer>>[] = [];
  const complaints: string[] = [];
  for (const file of (await readdir(folder)).sort()) {
    try {
      conversations.push(parseConversation(file, await readFile(join(folder, file), 'utf8'), answer));
    } catch (error) {
      complaints.push(messageOf(error));
    }
  }
  if (complaints.length > 0) throw new Error(complaints.join('\n'));
  if (conversations.length === 0) throw new Error(`${folder} is empty.`);
  return conversations;
}

function parseConversation<Answer extends TSchema>(
  file: string,
  text: string,
  answer: Answer,
): RecordedConversation<Static<Answer>> {
  const name = /^([a-z0-9]+(?:-[a-z0-9]+)*)\.json$/.exec(file)?.[1];
  if (name === undefined) throw new Error(`${file}: the name must be in kebab-case and end in .json.`);
  const read: unknown = parseJson(file, text);
  if (!Value.Check(Conversation, read)) throw complaintOf(file, '', Value.Errors(Conversation, read));
  const { code, disposition } = read.says;
  const known = new Map<string, string>(Object.entries(ERROR_CODES).map(([code, at]) => [code, at.disposition]));
  if (!known.has(code)) throw new Error(`${file}: /says/code ${code} is no error code.`);
  if (known.get(code) !== disposition)
    throw new Error(`${file}: /says/disposition of ${code} is ${known.get(code)}, not ${disposition}.`);
  const replayed: unknown = read.answer;
  if (!Value.Check(answer, replayed)) throw complaintOf(file, '/answer', Value.Errors(answer, replayed));
  return { ...read, name, answer: replayed };
}

function parseJson(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new Error(`${file}: ${messageOf(error)}`);
  }
}

interface Complaint {
  readonly keyword: string;
  readonly instancePath: string;
  readonly message: string;
  readonly params: object;
}

function complaintOf(file: string, at: string, complaints: readonly Complaint[]): Error {
  const lines = complaints
    // each unknown field is named a second time by its parent
    .filter(({ keyword }) => keyword !== 'boolean')
    .map(({ instancePath, message, params }) => `${at}${instancePath} ${message} ${JSON.stringify(params)}`);
  return new Error(`${file}: ${lines.join('; ')}`);
}
