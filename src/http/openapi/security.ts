import type { CredentialRule } from '../contract.ts';

export const SECURITY_SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT', description: 'Token from POST /oauth/token.' },
  basic: { type: 'http', scheme: 'basic', description: 'Key and secret of an input or a feed.' },
  key: { type: 'apiKey', in: 'header', name: 'x-mp-key', description: 'The key of an input or a feed.' },
  signature: {
    type: 'apiKey',
    in: 'header',
    name: 'x-mp-signature',
    description:
      'Lower-case hex of HMAC-SHA256 with the secret over the method, a line feed, the Date header as sent, a line feed, the path and the body before compression.',
  },
} as const;

type Scheme = keyof typeof SECURITY_SCHEMES;

/** Alternative ways to authenticate, by rule; the schemes of one way are needed together. */
export const SECURITY: Readonly<Record<CredentialRule, readonly Readonly<Partial<Record<Scheme, readonly []>>>[]>> = {
  none: [],
  platform_read: [{ bearer: [] }],
  platform_admin: [{ bearer: [] }],
  input_events: [{ basic: [] }],
  // the key is in the path
  input_web_events: [],
  input_identity: [{ basic: [] }, { key: [], signature: [] }, { key: [] }],
  input_analytics: [{ basic: [] }],
  input_dsr: [{ basic: [] }],
};
