import { fieldPath, type Issue, refuse } from '../../kernel/index.ts';
import type { Subject } from '../request.ts';
import {
  type CommonBody,
  type RequestDraft,
  readCommonFields,
  readIdentity,
  readMpid,
  requireSubject,
} from './draft.ts';
import { type ExtensionNames, readExtension } from './read-extension.ts';

type Dictionary = Readonly<Record<string, { readonly value: string }>> | null;

interface Extension {
  readonly skip_waiting_period?: boolean | null;
  readonly subject_identities?: Dictionary;
}

/** A body that passed `CreateBodyThree`. */
export interface BodyThree extends CommonBody, Extension {
  readonly regulation: 'gdpr' | 'ccpa';
  readonly group_id?: string | null;
  readonly extensions?: Readonly<Record<string, Extension>> | null;
}

/** Reads a create-request body of version 3. Throws VALIDATION_FAILED with all problems. */
export function readVersionThree(body: BodyThree, names: ExtensionNames): RequestDraft {
  const issues: Issue[] = [];
  const common = readCommonFields(body, issues);
  const own = readExtension(body.extensions, names, issues);
  const subject = readSubject(body, own, issues);
  const skipWaitingPeriod = readSkip(body, own?.extension, issues);
  requireAlone(subject, issues);
  requireSubject(subject, issues);
  requireNamelessGroup(body.group_id, subject, issues);
  if (issues.length > 0) throw refuse(issues);
  const { regulation, group_id: groupId = null } = body;
  return { version: 3, ...common, regulation, groupId, skipWaitingPeriod, subject };
}

type Own = ReturnType<typeof readExtension<Extension>>;

function readSubject(body: BodyThree, own: Own, issues: Issue[]): Subject {
  const top = readDictionary(body.subject_identities, { path: 'subject_identities', issues });
  const path = fieldPath(own?.path ?? '', 'subject_identities');
  const further = readDictionary(own?.extension.subject_identities, { path, issues });
  const mpid = own?.extension.subject_identities?.mpid;
  const read = mpid === undefined ? undefined : readMpid(mpid.value.trim(), { path: valuePath(path, 'mpid'), issues });
  return { identities: [...top, ...further], mpids: read === undefined ? [] : [read] };
}

const valuePath = (path: string, name: string): string => fieldPath(fieldPath(path, name), 'value');

function readDictionary(
  dictionary: Dictionary | undefined,
  { path, issues }: { readonly path: string; readonly issues: Issue[] },
): Subject['identities'] {
  const read = Object.entries(dictionary ?? {}).flatMap(([name, { value }]) => {
    if (name === 'mpid') return [];
    const identity = readIdentity(name, value, { path: valuePath(path, name), issues });
    return identity === undefined ? [] : [identity];
  });
  issues.push(...contradictions(read, path));
  return read;
}

/**
 * Returns an issue for each identity that gives its type a second value. A request has one identity of each type, and two
 * spellings of a type would make two.
 */
function contradictions(identities: Subject['identities'], path: string): readonly Issue[] {
  return identities.flatMap(({ name, type, value }, index) => {
    const first = identities.slice(0, index).find((other) => other.type === type);
    if (first === undefined || first.value === value) return [];
    const message = `is another spelling of ${first.name} with a different value; send only one of them.`;
    return [{ path: valuePath(path, name), message }];
  });
}

/** Reads skip_waiting_period, which may stand at top level or in the extension. Two different values are an issue (D-053). */
function readSkip(body: BodyThree, extension: Extension | undefined, issues: Issue[]): boolean {
  const [outer, inner] = [body.skip_waiting_period ?? undefined, extension?.skip_waiting_period ?? undefined];
  if (outer !== undefined && inner !== undefined && outer !== inner) {
    issues.push({ path: 'skip_waiting_period', message: `is ${outer} here and ${inner} in the extension` });
  }
  return outer ?? inner ?? false;
}

/** Refuses an MPID beside other identities: version 3 resolves identities to a single MPID. */
function requireAlone({ identities, mpids }: Subject, issues: Issue[]): void {
  if (mpids.length === 0 || identities.length === 0) return;
  const message = 'An mpid was supplied together with other identities; it must be the only identity of the request.';
  issues.push({ path: '', message });
}

/**
 * Refuses a group id that names the person: it stays on a request that is over and in exports of erasures. Inside a longer id,
 * only values too long to match by chance count.
 */
function requireNamelessGroup(groupId: string | null | undefined, subject: Subject, issues: Issue[]): void {
  const group = groupId?.trim().toLowerCase() ?? '';
  const values = [...subject.identities.map(({ value }) => value.toLowerCase()), ...subject.mpids.map(String)];
  if (!values.some((value) => group === value || (value.length >= LONG_CHARS && group.includes(value)))) return;
  const message =
    'contains an identity of the request, but is kept after the request ends; use a name without personal data.';
  issues.push({ path: 'group_id', message });
}

/** Minimum length of a value that counts inside a longer id; shorter ones may be part of anything. */
const LONG_CHARS = 8;
