import { STATUS_CODES } from 'node:http';
import type { Outgoing, OutgoingAnswer } from '../../http/index.ts';
import { type KeyRing, parseJson } from '../../kernel/index.ts';
import type { PartnerAuth } from './contract.ts';
import { type Partner, revealAuth } from './partner.ts';

/** Outcome of an attempt. */
export type PartnerOutcome =
  | { readonly status: 'sent'; readonly message?: undefined; readonly detail?: undefined }
  | {
      readonly status: 'failed';
      /** Reason of the failure, which names nobody. */
      readonly message: string;
      /** Answer of the partner, with the identities it was sent masked. */
      readonly detail?: string | undefined;
      /** Set where further attempts would fail alike. */
      readonly isFinal: boolean;
    };

export interface PartnerCall {
  readonly partner: Partner;
  readonly keyRing: KeyRing;
  readonly body: string;
  readonly bytes: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
  /** Set where no earlier attempt can have reached the partner unnoticed. */
  readonly isFirst: boolean;
  readonly signal: AbortSignal;
}

/** Posts an erasure to a partner. Throws CALL_REFUSED, CALL_FAILED and SECRET_UNREADABLE. */
export async function callPartner(outgoing: Pick<Outgoing, 'call'>, call: PartnerCall): Promise<PartnerOutcome> {
  const { partner, keyRing, bytes, signal } = call;
  const answer = await outgoing.call({
    url: partner.url,
    method: 'POST',
    headers: { ...call.headers, 'content-type': 'application/json', accept: 'application/json' },
    credentials: credentialsOf(revealAuth(keyRing, partner)),
    body: bytes,
    signal,
  });
  if (isTaken(answer, call.isFirst)) return { status: 'sent' };
  const { status } = answer;
  const phrase = STATUS_CODES[status];
  return {
    status: 'failed',
    message: `The partner answered ${status}${phrase === undefined ? '' : ` ${phrase}`}`,
    detail: wordsOf(answer.body, call.body),
    isFinal: false,
  };
}

function credentialsOf(auth: PartnerAuth): Readonly<Record<string, string>> {
  switch (auth.type) {
    case 'none':
      return {};
    case 'basic':
      return { authorization: `Basic ${Buffer.from(`${auth.username}:${auth.password}`).toString('base64')}` };
    case 'bearer':
      return { authorization: `Bearer ${auth.token}` };
    case 'header':
      return { [auth.name.toLowerCase()]: auth.value };
  }
}

/**
 * Tells whether the partner has the request. A partner that speaks OpenDSR answers a repetition with 400 (the id is not unique)
 * or 409 (an equal request is in progress). Then an earlier attempt had arrived, and its answer was lost.
 */
function isTaken({ status, body }: OutgoingAnswer, isFirst: boolean): boolean {
  if (status >= 200 && status < 300) return true;
  return !isFirst && (status === 409 || (status === 400 && /already exists|not unique|duplicate/i.test(body)));
}

const MOST_CHARACTERS = 300;
const LINE_BREAKS = /[\s\p{Cc}]+/gu;

/** Returns the beginning of an answer on one line, with asterisks for every identity; undefined where the answer is empty. */
function wordsOf(answer: string, sent: string): string | undefined {
  let words = answer.replace(LINE_BREAKS, ' ').trim();
  for (const value of identityValues(sent)) {
    for (const spelling of spellingsOf(value)) words = words.replace(spelling, '***');
  }
  return words === '' ? undefined : words.slice(0, MOST_CHARACTERS).toWellFormed();
}

function identityValues(sent: string): readonly string[] {
  const { subject_identities: identities } = parseJson(sent) as {
    readonly subject_identities: Readonly<Record<string, { readonly value: string }>>;
  };
  return Object.values(identities).map(({ value }) => value);
}

/** Returns patterns for a value as plain text, in JSON, in a URL and in base64, all case-insensitive. */
function spellingsOf(value: string): readonly RegExp[] {
  const base64 = Buffer.from(value)
    .toString('base64')
    .replace(/={1,2}$/, '');
  return [JSON.stringify(value).slice(1, -1), value, encodeURIComponent(value), base64].map(
    (text) => new RegExp(text.replace(/[^\p{L}\p{N}]/gu, String.raw`\$&`), 'gi'),
  );
}
