import { STATUS_CODES } from 'node:http';
import type { Outgoing, OutgoingAnswer } from '../../http/index.ts';
import { type KeyRing, parseJson } from '../../kernel/index.ts';
import type { PartnerAuth } from './contract.ts';
import { type Partner, revealAuth } from './partner.ts';

/** What became of an attempt. */
export type Told =
  | { readonly status: 'sent'; readonly message?: undefined; readonly detail?: undefined }
  | {
      readonly status: 'failed';
      /** Names nobody. */
      readonly message: string;
      /** The partner's own words, without the identities that it was sent. */
      readonly detail?: string | undefined;
      /** It would be the same with every further attempt. */
      readonly isFinal: boolean;
    };

export interface PartnerCall {
  readonly partner: Partner;
  readonly keyRing: KeyRing;
  readonly body: string;
  readonly bytes: Uint8Array;
  readonly headers: Readonly<Record<string, string>>;
  /** No attempt was made before that the partner may have taken without our hearing of it. */
  readonly isFirst: boolean;
  readonly signal: AbortSignal;
}

/** Posts an erasure to a partner. Throws CALL_REFUSED and CALL_FAILED, and SECRET_UNREADABLE. */
export async function callPartner(outgoing: Pick<Outgoing, 'call'>, call: PartnerCall): Promise<Told> {
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
 * Tells whether the partner has the request already. A partner that speaks OpenDSR answers a repetition with 400 (the
 * id is not unique) or 409 (an equal request is in progress). Then the first attempt had arrived, and its answer was
 * lost.
 */
function isTaken({ status, body }: OutgoingAnswer, isFirst: boolean): boolean {
  if (status >= 200 && status < 300) return true;
  return !isFirst && (status === 409 || (status === 400 && /already exists|not unique|duplicate/i.test(body)));
}

const MOST_CHARACTERS = 300;
const LINE_BREAKS = /[\s\p{Cc}]+/gu;

/** The beginning of an answer, on one line, with asterisks in place of every identity; undefined: it says nothing. */
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

/** As it stands, in JSON, in a URL and in base64, in any case. */
function spellingsOf(value: string): readonly RegExp[] {
  const base64 = Buffer.from(value).toString('base64').replace(/=+$/, '');
  return [JSON.stringify(value).slice(1, -1), value, encodeURIComponent(value), base64].map(
    (text) => new RegExp(text.replace(/[^\p{L}\p{N}]/gu, String.raw`\$&`), 'gi'),
  );
}
