import type { EndpointResponse } from '../http/index.ts';

/** RFC 6749, 5.2, as far as the client credentials grant can meet them. */
type OAuthCode = 'invalid_request' | 'invalid_client' | 'unsupported_grant_type';

const STATUS = { invalid_request: 400, invalid_client: 401, unsupported_grant_type: 400 } as const satisfies Record<
  OAuthCode,
  number
>;

/** Neither answers nor refusals of the token endpoint may be kept by a cache (RFC 6749, 5.1). */
export const NO_STORE = { 'cache-control': 'no-store', pragma: 'no-cache' } as const;

/** Why no token is given. Stays inside this room: the token endpoint makes its answer of it. */
export class OAuthRefusal extends Error {
  readonly code: OAuthCode;

  constructor(code: OAuthCode, description: string) {
    super(description);
    this.name = 'OAuthRefusal';
    this.code = code;
  }

  response(): EndpointResponse {
    const headers = this.code === 'invalid_client' ? { ...NO_STORE, 'www-authenticate': 'Basic' } : NO_STORE;
    return { status: STATUS[this.code], headers, body: { error: this.code, error_description: this.message } };
  }
}
