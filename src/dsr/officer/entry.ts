// Turns what an officer enters on the command line or in a CSV into the body of version 3 that a caller would send.
import { randomUUID } from 'node:crypto';
import { type Issue, quoteValue, refuse, stringifyJson, wantedOneOf } from '../../kernel/index.ts';
import { EXTENSION_TYPES, TOP_TYPES } from '../contract/identity-types.ts';
import type { RequestDraft } from '../read/draft.ts';
import type { ExtensionNames } from '../read/read-extension.ts';
import { type BodyThree, readVersionThree } from '../read/read-version-three.ts';
import { REQUEST_TYPES, type RequestType } from '../request-type.ts';

export interface Entry {
  /** Request id; absent to have one generated. */
  readonly id?: string | undefined;
  readonly type: string;
  readonly regulation: string;
  /** ISO 8601 time; absent for now. */
  readonly submittedTime?: string | undefined;
  readonly groupId?: string | undefined;
  readonly skipWaitingPeriod?: boolean | undefined;
  readonly callbackUrls?: readonly string[] | undefined;
  /** Values by identity types of requests, including `mpid`. */
  readonly identities: readonly { readonly name: string; readonly value: string }[];
}

/** Names of identities that an officer may give: the types of requests and `mpid`. */
export const ENTRY_NAMES: readonly string[] = [...Object.keys(TOP_TYPES), ...Object.keys(EXTENSION_TYPES), 'mpid'];

const UUID_V4 = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/i;
const MOST_CHARACTERS = 255;

export interface EnteredRequest {
  readonly draft: RequestDraft;
  readonly bodyText: string;
}

/** Reads an entry. Throws VALIDATION_FAILED with all problems. */
export function readEntry(entry: Entry, names: ExtensionNames, nowMs: number): EnteredRequest {
  const issues = issuesOf(entry);
  const { type, regulation } = entry;
  if (issues.length > 0 || !isRequestType(type) || !isRegulation(regulation)) throw refuse(issues);
  const body = bodyOf({ ...entry, type, regulation }, names[0] ?? '', nowMs);
  return { draft: readVersionThree(body, names), bodyText: stringifyJson(body) };
}

const REGULATIONS = ['gdpr', 'ccpa'] as const;
type Regulation = (typeof REGULATIONS)[number];

const isRequestType = (name: string): name is RequestType => REQUEST_TYPES.some((type) => type === name);
const isRegulation = (name: string): name is Regulation => REGULATIONS.some((regulation) => regulation === name);

function issuesOf({ id, type, regulation, groupId = '', identities }: Entry): readonly Issue[] {
  const issues: Issue[] = [];
  const check = (isRight: boolean, path: string, message: string) => {
    if (!isRight) issues.push({ path, message });
  };
  check(id === undefined || UUID_V4.test(id), 'id', `must be a UUID of version 4, is ${quoteValue(id)}`);
  check(isRequestType(type), 'type', wantedOneOf(REQUEST_TYPES, type));
  check(isRegulation(regulation), 'regulation', wantedOneOf(REGULATIONS, regulation));
  check(groupId.length <= MOST_CHARACTERS, 'group', `must have at most ${MOST_CHARACTERS} characters`);
  for (const [index, { name }] of identities.entries()) {
    const isFirst = identities.findIndex((each) => each.name === name) === index;
    check(ENTRY_NAMES.includes(name), name, `is not an identity type; use one of ${ENTRY_NAMES.join(', ')}`);
    check(isFirst, name, 'is given twice; a request has one identity per type');
  }
  return issues;
}

interface CheckedEntry extends Entry {
  readonly type: RequestType;
  readonly regulation: Regulation;
}

function bodyOf(entry: CheckedEntry, extensionName: string, nowMs: number): BodyThree {
  const { id = randomUUID(), groupId, callbackUrls = [], identities } = entry;
  const dictionary = (wanted: (name: string) => boolean) =>
    Object.fromEntries(
      identities.filter(({ name }) => wanted(name)).map(({ name, value }) => [name, { value, encoding: 'raw' }]),
    );
  const further = dictionary((name) => !Object.hasOwn(TOP_TYPES, name));
  return {
    regulation: entry.regulation,
    subject_request_id: id,
    subject_request_type: entry.type,
    submitted_time: entry.submittedTime ?? new Date(nowMs).toISOString(),
    skip_waiting_period: entry.skipWaitingPeriod ?? false,
    subject_identities: dictionary((name) => Object.hasOwn(TOP_TYPES, name)),
    ...(groupId === undefined ? {} : { group_id: groupId }),
    ...(callbackUrls.length === 0 ? {} : { status_callback_urls: callbackUrls }),
    ...(Object.keys(further).length === 0 ? {} : { extensions: { [extensionName]: { subject_identities: further } } }),
  };
}
