import { fieldPath, type Issue, refuse } from '../../kernel/index.ts';
import { MOST_IDENTITIES } from '../contract/create.ts';
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

type Listed = readonly { readonly identity_type: string; readonly identity_value: string }[] | null;

interface Extension {
  readonly mpids?: readonly (number | bigint | string)[] | null;
  readonly identities?: Listed;
}

/** A body that passed `CreateBodyTwo` or `CreateBodyOne`. */
export interface BodyTwo extends CommonBody {
  readonly regulation?: 'gdpr' | 'ccpa';
  readonly subject_identities?: Listed;
  readonly extensions?: Readonly<Record<string, Extension>> | null;
}

/**
 * Reads a create-request body of version 2 or 1. Throws VALIDATION_FAILED with all problems. Ignores groups and
 * skip_waiting_period, which neither version has, and the regulation in version 1.
 */
export function readVersionTwo(body: BodyTwo, version: 1 | 2, names: ExtensionNames): RequestDraft {
  const issues: Issue[] = [];
  const common = readCommonFields(body, issues);
  const subject = readSubject(body, names, issues);
  requireFew(subject, issues);
  requireSubject(subject, issues);
  if (issues.length > 0) throw refuse(issues);
  const regulation = version === 1 ? null : (body.regulation ?? null);
  return { version, ...common, regulation, groupId: null, skipWaitingPeriod: false, subject };
}

function readSubject(body: BodyTwo, names: ExtensionNames, issues: Issue[]): Subject {
  const own = readExtension(body.extensions, names, issues);
  const top = readListed(body.subject_identities, { path: 'subject_identities', issues });
  const further = readListed(own?.extension.identities, { path: fieldPath(own?.path ?? '', 'identities'), issues });
  const mpids = (own?.extension.mpids ?? []).flatMap((given, index) => {
    const path = fieldPath(fieldPath(own?.path ?? '', 'mpids'), index);
    return readMpid(given, { path, issues }) ?? [];
  });
  return { identities: [...top, ...further], mpids: [...new Set(mpids)] };
}

function readListed(
  listed: Listed | undefined,
  { path, issues }: { readonly path: string; readonly issues: Issue[] },
): Subject['identities'] {
  return (listed ?? []).flatMap(({ identity_type, identity_value }, index) => {
    const place = fieldPath(fieldPath(path, index), 'identity_value');
    return readIdentity(identity_type, identity_value, { path: place, issues }) ?? [];
  });
}

/** Refuses more than 50 identities and MPIDs together, as in version 3. */
function requireFew({ identities, mpids }: Subject, issues: Issue[]): void {
  const count = identities.length + mpids.length;
  if (count <= MOST_IDENTITIES) return;
  const message = `The request has ${count} identities; at most ${MOST_IDENTITIES} are allowed.`;
  issues.push({ path: '', message });
}
