// Rules for errors of sign-in. Snowflake's codes of sign-in and sessions begin with 39; the SDK gives nearly all of them the
// SQLSTATE 08001 or 08004, as it does to errors of the network.
import type { ErrorCode } from '../../src/kernel/index.ts';

export interface Rule {
  /** Code of the server or the SDK: the whole or its beginning. */
  readonly code?: string;
  /** SQLSTATE: the whole or its beginning. */
  readonly state?: string;
  /** HTTP status that the SDK received. */
  readonly status?: number;
  /** Name of the SDK's error. */
  readonly name?: string;
  /** Part of the message, in lower case. */
  readonly holds?: string;
  /** Matches during sign-in only. Default: always. */
  readonly isSignIn?: boolean;
  readonly is: ErrorCode;
  readonly advice?: string;
}

export const SIGN_IN = 'Check {config.user} and the password, key or token.';
export const ACCOUNT = 'Check {config.account_identifier} and {config.region}.';

const POLICY = 'A network policy of the account refuses this address.';
const ROLE = '{config.role} must exist and be granted: GRANT ROLE … TO USER ….';
const SECOND_FACTOR =
  'Snowflake asks a user with a password for a second factor, which a service cannot give. Set {config.private_key} instead of a password, and make the user TYPE = SERVICE with its RSA_PUBLIC_KEY.';
const KEY =
  'Check {config.user}, {config.account_identifier}, {config.private_key} and the clock of this machine: the public key must be the RSA_PUBLIC_KEY of the user. SYSTEM$GET_LOGIN_FAILURE_DETAILS tells an administrator the reason under the id in brackets.';
const TOKEN = 'Check {config.programmatic_access_token} and its role and expiry.';
const TOKEN_POLICY =
  'A programmatic access token works only for a user under a network policy: ALTER USER … SET NETWORK_POLICY = …, with the addresses of this machine, or ask for an authentication policy that requires none.';

const CLIENT = 'Check {config.oauth_client_id}, {config.oauth_client_secret} and {config.oauth_scope}.';
const ENDPOINT =
  'Check {config.oauth_token_url}: a token endpoint answers as RFC 6749 says, and redirects are not followed.';
const GIVEN_TOKEN =
  'Snowflake needs a security integration of the type EXTERNAL_OAUTH for this identity provider. Check {config.user}, {config.role} and {config.oauth_scope}.';

/** Code of the SDK's HTTP client for statuses from 400 to 499. */
const REFUSED = 'ERR_BAD_REQUEST';
const MFA_WORDS = ['multi-factor', 'mfa ', 'duo security', 'passcode'];

/** Rules in order; the first match decides. Errors of a running session match only rules without `isSignIn`. */
export const SIGN_IN_RULES: readonly Rule[] = [
  // objects that the session needs
  { code: '390186', is: 'WAREHOUSE_PERMISSION', advice: ROLE },
  { code: '390189', is: 'WAREHOUSE_PERMISSION', advice: ROLE },
  {
    code: '390201',
    is: 'WAREHOUSE_PERMISSION',
    advice: '{config.warehouse} and {config.database} must exist, and {config.role} needs USAGE on both.',
  },
  { code: '3909', is: 'WAREHOUSE_CONFIG' },
  ...MFA_WORDS.map((holds): Rule => ({ holds, isSignIn: true, is: 'WAREHOUSE_CREDENTIALS', advice: SECOND_FACTOR })),
  { code: '390101', is: 'WAREHOUSE_CREDENTIALS', advice: 'The user is disabled.' },
  {
    code: '390102',
    is: 'WAREHOUSE_CREDENTIALS',
    advice: 'The user is temporarily locked after too many failed attempts.',
  },
  { code: '390106', is: 'WAREHOUSE_CREDENTIALS', advice: 'The password of the user has expired.' },
  // https://docs.snowflake.com/en/user-guide/key-pair-auth-troubleshooting lists 390144 and 394300 to 394307
  { code: '390144', is: 'WAREHOUSE_CREDENTIALS', advice: KEY },
  { code: '3943', is: 'WAREHOUSE_CREDENTIALS', advice: KEY },
  {
    code: '390202',
    is: 'WAREHOUSE_CREDENTIALS',
    advice: 'An authentication policy of the account refuses this way to sign in; choose another one, or ask for it.',
  },
  { code: '390420', is: 'WAREHOUSE_CREDENTIALS', advice: POLICY },
  { code: '390422', is: 'WAREHOUSE_CREDENTIALS', advice: POLICY },
  // "Network policy is required."
  { code: '390432', is: 'WAREHOUSE_CREDENTIALS', advice: TOKEN_POLICY },
  { holds: 'is not allowed to access snowflake', isSignIn: true, is: 'WAREHOUSE_CREDENTIALS', advice: POLICY },
  { holds: 'access token or was filtered', isSignIn: true, is: 'WAREHOUSE_CREDENTIALS', advice: GIVEN_TOKEN },
  { code: '3944', is: 'WAREHOUSE_CREDENTIALS', advice: TOKEN },
  { code: '3903', is: 'WAREHOUSE_CREDENTIALS', advice: GIVEN_TOKEN },
  { code: '39', isSignIn: true, is: 'WAREHOUSE_CREDENTIALS', advice: SIGN_IN },
  // an identity provider's token endpoint
  ...[400, 401, 403].map(
    (status): Rule => ({ code: REFUSED, status, isSignIn: true, is: 'WAREHOUSE_CREDENTIALS', advice: CLIENT }),
  ),
  { status: 429, isSignIn: true, is: 'WAREHOUSE_THROTTLED' },
  { code: REFUSED, isSignIn: true, is: 'WAREHOUSE_CONFIG', advice: ENDPOINT },
  { holds: 'request failed with status code 3', isSignIn: true, is: 'WAREHOUSE_CONFIG', advice: ENDPOINT },
  { code: 'OAUTH_', isSignIn: true, is: 'WAREHOUSE_CONFIG', advice: ENDPOINT },
  ...['is not valid json', 'in json at position'].map(
    (holds): Rule => ({ holds, isSignIn: true, is: 'WAREHOUSE_CONFIG', advice: ENDPOINT }),
  ),
];
