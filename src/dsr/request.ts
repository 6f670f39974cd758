import { getTableColumns } from 'drizzle-orm';
import type { Identity, IdentityType, ProfileId } from '../identity/index.ts';
import { type KeyRing, parseJson, Secret, stringifyJson } from '../kernel/index.ts';
import type { RequestStatus } from './request-machine.ts';
import type { RequestType } from './request-type.ts';
import { dsrRequests } from './tables.ts';

type Row = typeof dsrRequests.$inferSelect;

/** A request as its row says it; `subject` and `encodedRequest` are encrypted. */
export interface Request extends Readonly<Omit<Row, 'status' | 'type' | 'version'>> {
  readonly version: 1 | 2 | 3;
  readonly type: RequestType;
  readonly status: RequestStatus;
}

/** The id of a request as its sender wrote it. */
export const sentId = ({ id, givenId }: Pick<Request, 'id' | 'givenId'>): string => givenId ?? id;

/** What a request says without whom it is about: lists read these alone, for what is encrypted can be large. */
export type RequestFacts = Omit<Request, keyof typeof SUBJECT_COLUMNS>;

const { subject, encodedRequest, subjectKeys, erasedKeys, callbackUrls, counts, ...facts } =
  getTableColumns(dsrRequests);
const SUBJECT_COLUMNS = { subject, encodedRequest, subjectKeys, erasedKeys, callbackUrls, counts };
export const FACT_COLUMNS = facts;

/** `name` is the identity type as the request wrote it: partners are told in the same word. */
export interface SubjectIdentity {
  readonly name: string;
  readonly type: IdentityType;
  /** Trimmed, otherwise as given. */
  readonly value: string;
}

/** Whom a request is about. */
export interface Subject {
  readonly identities: readonly SubjectIdentity[];
  readonly mpids: readonly bigint[];
  /** Of an erasure under way, once the profiles are gone: whom the other rooms are still searched for. */
  readonly erased?: ErasedSubject;
}

export interface ErasedSubject {
  readonly people: readonly ProfileId[];
  /** Those that nobody living holds. */
  readonly identities: readonly Identity[];
}

type RequestId = Pick<Request, 'workspaceId' | 'id'>;

/** What an encrypted field of a request is bound to: copied to another request it does not decrypt. */
export const requestContext = ({ workspaceId, id }: RequestId, field: string): string =>
  `dsr_requests/${workspaceId}/${id}/${field}`;

export function sealSubject(keyRing: KeyRing, request: RequestId, subject: Subject): string {
  return keyRing.encrypt(new Secret(stringifyJson(withTextMpids(subject))), requestContext(request, 'subject'));
}

/** Undefined once the subject was dropped. */
export function openSubject(keyRing: KeyRing, request: RequestId & Pick<Request, 'subject'>): Subject | undefined {
  if (request.subject === null) return undefined;
  const text = keyRing.decrypt(request.subject, requestContext(request, 'subject')).reveal();
  const { identities, mpids, erased } = parseJson(text) as unknown as SubjectText;
  return {
    identities,
    mpids: mpids.map(BigInt),
    ...(erased !== undefined && {
      erased: { ...erased, people: erased.people.map((person) => ({ ...person, mpid: BigInt(person.mpid) })) },
    }),
  };
}

/** With its MPIDs as text. */
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
