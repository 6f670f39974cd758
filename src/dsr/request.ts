import { getTableColumns } from 'drizzle-orm';
import type { Identity, IdentityType, ProfileId } from '../identity/index.ts';
import { type KeyRing, Secret, stringifyJson } from '../kernel/index.ts';
import { dsrRequests } from './tables.ts';

/** A request as its row has it; `subject` and `encodedRequest` are encrypted. */
export type Request = Readonly<typeof dsrRequests.$inferSelect>;

/** Returns the id of a request in the sender's spelling. */
export const sentId = ({ id, givenId }: Pick<Request, 'id' | 'givenId'>): string => givenId ?? id;

/** A request without its subject. Lists read only these columns, since the encrypted ones can be large. */
export type RequestFacts = Omit<Request, keyof typeof SUBJECT_COLUMNS>;

const { subject, encodedRequest, subjectKeys, erasedKeys, callbackUrls, counts, ...facts } =
  getTableColumns(dsrRequests);
const SUBJECT_COLUMNS = { subject, encodedRequest, subjectKeys, erasedKeys, callbackUrls, counts };
export const FACT_COLUMNS = facts;

/** One identity that a request names. `name` is the type in the request's spelling, which partners are sent too. */
export interface SubjectIdentity {
  readonly name: string;
  readonly type: IdentityType;
  /** Trimmed, otherwise as given. */
  readonly value: string;
}

/** The person that a request is about. */
export interface Subject {
  readonly identities: readonly SubjectIdentity[];
  readonly mpids: readonly bigint[];
  /**
   * Erased people, set while an erasure is under way and their profiles are gone: the other rooms are still searched for them.
   */
  readonly erased?: ErasedSubject;
}

export interface ErasedSubject {
  readonly people: readonly ProfileId[];
  /** Identities that no living profile holds. */
  readonly identities: readonly Identity[];
}

type RequestId = Pick<Request, 'workspaceId' | 'id'>;

/** Returns the encryption context of a field: copied to another request, its text does not decrypt. */
export const requestContext = ({ workspaceId, id }: RequestId, field: string): string =>
  `dsr_requests/${workspaceId}/${id}/${field}`;

export function sealSubject(keyRing: KeyRing, request: RequestId, subject: Subject): string {
  return keyRing.encrypt(new Secret(stringifyJson(withTextMpids(subject))), requestContext(request, 'subject'));
}

/** Decrypts the subject. Returns undefined once it was dropped. */
export function openSubject(keyRing: KeyRing, request: RequestId & Pick<Request, 'subject'>): Subject | undefined {
  if (request.subject === null) return undefined;
  const text = keyRing.decrypt(request.subject, requestContext(request, 'subject')).reveal();
  const { identities, mpids, erased } = JSON.parse(text) as SubjectText;
  return {
    identities,
    mpids: mpids.map(BigInt),
    ...(erased !== undefined && {
      erased: { ...erased, people: erased.people.map((person) => ({ ...person, mpid: BigInt(person.mpid) })) },
    }),
  };
}

/** A subject with its MPIDs as text. */
type SubjectText = ReturnType<typeof withTextMpids>;

function withTextMpids({ identities, mpids, erased }: Subject) {
  return {
    identities,
    mpids: mpids.map(String),
    ...(erased !== undefined && {
      erased: { ...erased, people: erased.people.map((person) => ({ ...person, mpid: String(person.mpid) })) },
    }),
  };
}

export function sealEncodedRequest(keyRing: KeyRing, request: RequestId, bodyText: string): string {
  return keyRing.encrypt(new Secret(bodyText), requestContext(request, 'encoded_request'));
}
