import type { CredentialRequest, InputRule } from '../../http/index.ts';
import { AppError, type Secret } from '../../kernel/index.ts';
import type { InputUse } from './input-uses.ts';
import { readBasic } from './read-basic.ts';

export type InputRequest = CredentialRequest & { readonly rule: InputRule };

/** Proof that a caller sends of its identity; `use` is what the key must allow for that proof. */
export type InputProof =
  | { readonly means: 'basic'; readonly key: string; readonly use: InputUse; readonly secret: Secret }
  | {
      readonly means: 'signature';
      readonly key: string;
      readonly use: InputUse;
      readonly signature: string;
      readonly date: string;
    }
  | { readonly means: 'key_only'; readonly key: string; readonly use: InputUse };

/** Reads the proof from where this API expects it. Throws UNAUTHENTICATED that says how to send one. */
export function readInputProof(request: InputRequest): InputProof {
  const proof = READERS[request.rule](request);
  if (proof !== undefined) return proof;
  throw new AppError('UNAUTHENTICATED', HINTS[request.rule]);
}

const HINTS: Readonly<Record<InputRule, string>> = {
  input_events: 'Send key and secret of an input or a feed as HTTP Basic.',
  input_web_events: 'The path contains no key.',
  input_identity:
    'Send key and secret of an input or a feed as HTTP Basic, or the header x-mp-key with Date and x-mp-signature.',
  input_analytics: 'Send the key of an input as the user of HTTP Basic.',
  input_dsr: 'Send key and secret of an input with the use "dsr" as HTTP Basic.',
};

type Reader = (request: InputRequest) => InputProof | undefined;

const READERS: Readonly<Record<InputRule, Reader>> = {
  input_events: (request) => basicProof(request),
  input_web_events: ({ key }) => (key === undefined ? undefined : { means: 'key_only', key, use: 'web' }),
  input_identity: (request) => basicProof(request) ?? headerProof(request),
  input_analytics: analyticsProof,
  input_dsr: (request) => basicProof(request, 'dsr'),
};

function basicProof({ authorization }: InputRequest, use: InputUse = 'server'): InputProof | undefined {
  const sent = readBasic(authorization, 'the key and secret of an input or a feed');
  return sent && { means: 'basic', key: sent.user, use, secret: sent.password };
}

/** Reads the proof of other vendors' SDKs, which send one write key and no password. */
function analyticsProof(request: InputRequest): InputProof | undefined {
  const proof = basicProof(request);
  if (proof?.means !== 'basic' || proof.secret.reveal() !== '') return proof;
  return { means: 'key_only', key: proof.key, use: 'write_key' };
}

function headerProof({ headers }: InputRequest): InputProof | undefined {
  const { 'x-mp-key': key, 'x-mp-signature': signature, date } = headers;
  if (key === undefined) return undefined;
  if (signature === undefined) return { means: 'key_only', key, use: 'identity_key_only' };
  if (date !== undefined) return { means: 'signature', key, use: 'server', signature, date };
  throw new AppError('UNAUTHENTICATED', 'The signed Date header is missing; send the Date header that you signed.');
}
