import { describe, expect, it } from 'vitest';
import { classify, RULES } from '../../../connectors/snowflake/errors.ts';
import { signInFailure } from '../../../connectors/snowflake/link/sign-in-failure.ts';
import type { Rule } from '../../../connectors/snowflake/sign-in-rules.ts';
import { AppError } from '../../../src/kernel/index.ts';

interface Seen {
  readonly code?: string | number;
  readonly sqlState?: string;
  readonly message: string;
  readonly cause?: Error;
  readonly response?: { readonly statusCode: number };
  readonly name?: string;
  readonly isSignIn?: true;
}

function errorOf({ message, cause, isSignIn, ...rest }: Seen): Error {
  const error = Object.assign(new Error(message, { cause }), rest);
  return isSignIn === true ? signInFailure(error) : error;
}

const socket = (code: string) => Object.assign(new Error(`connect ${code}`), { code });

/** Texts and codes as Snowflake, or its SDK, writes them; one at least for each rule. */
const SEEN: readonly (readonly [expected: string, Seen])[] = [
  ['WAREHOUSE_CREDENTIALS', { code: '390100', message: 'Incorrect username or password was specified.' }],
  [
    'WAREHOUSE_CREDENTIALS',
    { code: '390101', message: 'User access disabled. Contact your local system administrator.' },
  ],
  ['WAREHOUSE_CREDENTIALS', { code: '390102', message: 'Your user account has been temporarily locked.' }],
  ['WAREHOUSE_CREDENTIALS', { code: '390106', message: 'Specified password has expired. Password must be changed.' }],
  ['WAREHOUSE_CREDENTIALS', { code: '390144', message: 'JWT token is invalid. [ab12]' }],
  ['WAREHOUSE_CREDENTIALS', { code: '390191', message: 'User must be authenticated by another means.' }],
  ['WAREHOUSE_CREDENTIALS', { code: '390303', message: 'Invalid OAuth access token.' }],
  ['WAREHOUSE_CREDENTIALS', { code: '390318', message: 'OAuth access token expired.' }],
  ['WAREHOUSE_CREDENTIALS', { code: '390309', message: 'The user you were trying to authenticate as differs.' }],
  ['WAREHOUSE_CREDENTIALS', { code: '390420', message: 'Incoming request is not allowed to access Snowflake.' }],
  ['WAREHOUSE_CREDENTIALS', { code: '390422', message: 'Incoming request with IP/Token 1.2.3.4 is not allowed.' }],
  ['WAREHOUSE_CREDENTIALS', { code: '390432', sqlState: '08001', message: 'Network policy is required.' }],
  ['WAREHOUSE_CREDENTIALS', { code: '390202', message: 'Authentication attempt rejected by the current policy.' }],
  ['WAREHOUSE_CREDENTIALS', { code: '394304', sqlState: '08001', message: 'JWT token is invalid. [ab12]' }],
  ['WAREHOUSE_CREDENTIALS', { code: '395092', sqlState: '08001', message: 'A code that no document lists.' }],
  ...[
    'Multi-factor authentication is required for this account. Log in to Snowsight to enroll.',
    'Failed to authenticate: MFA authentication is required, but none of your current MFA methods are supported.',
    'Duo Security authentication is denied.',
    'Incorrect passcode was specified.',
  ].map((message) => ['WAREHOUSE_CREDENTIALS', { code: '390197', message, isSignIn: true }] as const),
  ...[400, 401, 403].map(
    (statusCode) =>
      [
        'WAREHOUSE_CREDENTIALS',
        { code: 'ERR_BAD_REQUEST', message: `status ${statusCode}`, response: { statusCode }, isSignIn: true },
      ] as const,
  ),
  ['WAREHOUSE_THROTTLED', { code: 'ERR_BAD_REQUEST', message: 'x', response: { statusCode: 429 }, isSignIn: true }],
  ['WAREHOUSE_CONFIG', { code: 'ERR_BAD_REQUEST', message: 'x', response: { statusCode: 404 }, isSignIn: true }],
  ['WAREHOUSE_UNREACHABLE', { code: 'ERR_BAD_RESPONSE', message: 'x', response: { statusCode: 500 }, isSignIn: true }],
  ...[
    'Request failed with status code 307',
    'Unexpected token < is not valid JSON',
    'Unterminated string in JSON at position 8',
  ].map((message) => ['WAREHOUSE_CONFIG', { message, isSignIn: true }] as const),
  ['WAREHOUSE_CREDENTIALS', { message: 'IP 1.2.3.4 is not allowed to access Snowflake.', isSignIn: true }],
  ['WAREHOUSE_CREDENTIALS', { message: "('R') is not listed in the Access Token or was filtered.", isSignIn: true }],
  ['WAREHOUSE_CREDENTIALS', { name: 'OperationFailedError', message: 'No.', isSignIn: true }],
  ['WAREHOUSE_PERMISSION', { code: '000666', sqlState: '57014', message: 'Your account is suspended.' }],
  ['WAREHOUSE_THROTTLED', { message: "resource monitor 'M' has exceeded its quota." }],
  ['WAREHOUSE_CONFIG', { code: 'OAUTH_INVALID_RESPONSE', message: 'no token', isSignIn: true }],
  ...['390104', '390111', '390114', '390195'].map(
    (code) =>
      ['WAREHOUSE_CREDENTIALS', { code, sqlState: '08001', message: `${code} at sign-in`, isSignIn: true }] as const,
  ),
  ['WAREHOUSE_CREDENTIALS', { code: '394400', message: 'Programmatic access token is invalid.' }],
  ['WAREHOUSE_PERMISSION', { code: '390186', message: "Role 'X' is not granted to this user." }],
  ['WAREHOUSE_PERMISSION', { code: '390189', message: "Role 'X' specified in the connect string does not exist." }],
  ['WAREHOUSE_PERMISSION', { code: '390201', message: 'The requested warehouse does not exist or not authorized.' }],
  ['WAREHOUSE_CONFIG', { code: '390913', message: 'Client is behind minimum supported version.' }],
  ['WAREHOUSE_SESSION_LOST', { code: '390104', message: 'Session token is invalid.' }],
  ['WAREHOUSE_SESSION_LOST', { code: '390111', message: 'Session no longer exists. New login required.' }],
  ['WAREHOUSE_SESSION_LOST', { code: '390112', message: 'Your session has expired. Please login again.' }],
  ['WAREHOUSE_SESSION_LOST', { code: '390114', message: 'Authentication token has expired.' }],
  ['WAREHOUSE_SESSION_LOST', { code: '390195', message: 'The provided ID Token is invalid.' }],
  ['WAREHOUSE_PERMISSION', { code: '000606', sqlState: '57P03', message: 'No active warehouse selected.' }],
  ['WAREHOUSE_PERMISSION', { code: '000607', sqlState: '57P03', message: 'Warehouse cannot be used.' }],
  ['WAREHOUSE_THROTTLED', { code: '000608', sqlState: '57014', message: "Warehouse 'WH' cannot be resumed." }],
  ['WAREHOUSE_THROTTLED', { code: '000610', sqlState: '57014', message: 'Too many statements are queued.' }],
  ['WAREHOUSE_THROTTLED', { code: '090073', sqlState: '22000', message: 'Resource monitor has exceeded its quota.' }],
  [
    'WAREHOUSE_PERMISSION',
    { code: '090105', sqlState: '22000', message: 'This session does not have a current database.' },
  ],
  [
    'WAREHOUSE_SQL_INVALID',
    { code: '090106', sqlState: '22000', message: 'This session does not have a current schema.' },
  ],
  [
    'WAREHOUSE_PERMISSION',
    { code: '003001', sqlState: '42501', message: "Insufficient privileges to operate on schema 'X'" },
  ],
  ['WAREHOUSE_PERMISSION', { code: '003540', sqlState: '42501', message: 'Not allowed.' }],
  ['WAREHOUSE_SESSION_LOST', { code: '000604', sqlState: '57014', message: 'SQL execution canceled' }],
  [
    'WAREHOUSE_TIMEOUT',
    {
      code: '000630',
      sqlState: '57014',
      message: 'Statement reached its statement or warehouse timeout of 10 second(s).',
    },
  ],
  [
    'WAREHOUSE_THROTTLED',
    { code: '000625', sqlState: '57014', message: 'Statement was aborted because it waited for a lock.' },
  ],
  [
    'WAREHOUSE_THROTTLED',
    { code: '000629', sqlState: '57014', message: 'Statement was aborted because of too many waiters.' },
  ],
  [
    'WAREHOUSE_OBJECT_MISSING',
    { code: '002003', sqlState: '42S02', message: "Object 'X' does not exist or not authorized." },
  ],
  [
    'WAREHOUSE_OBJECT_MISSING',
    { code: '002043', sqlState: '02000', message: 'Object does not exist, or operation cannot be performed.' },
  ],
  ['WAREHOUSE_OBJECT_MISSING', { code: '002037', sqlState: '42601', message: 'Failure during expansion of view.' }],
  ['WAREHOUSE_OBJECT_MISSING', { code: '000904', sqlState: '42000', message: "invalid identifier 'X'" }],
  ['WAREHOUSE_DATA', { code: '100038', sqlState: '22018', message: "Numeric value 'x' is not recognized" }],
  ['WAREHOUSE_DATA', { code: '100051', sqlState: '22012', message: 'Division by zero' }],
  ['WAREHOUSE_DATA', { code: '100090', sqlState: '21000', message: 'Single-row subquery returns more than one row.' }],
  ['WAREHOUSE_DATA', { code: '999001', sqlState: '22003', message: 'out of range' }],
  ['WAREHOUSE_DATA', { code: '999002', sqlState: '21000', message: 'too many' }],
  ['WAREHOUSE_DATA', { code: '999003', sqlState: '23001', message: 'NULL result in a non-nullable column' }],
  ['WAREHOUSE_DATA', { code: '999004', sqlState: 'P0000', message: 'UDF failed' }],
  [
    'WAREHOUSE_SQL_INVALID',
    { code: '001003', sqlState: '42000', message: "syntax error line 1 at position 7 unexpected 'FROM'." },
  ],
  ['WAREHOUSE_SQL_INVALID', { code: '002140', sqlState: '42601', message: 'Unknown function NO_SUCH' }],
  ['WAREHOUSE_SQL_INVALID', { code: '002049', sqlState: '42601', message: 'Bind variable ? not set.' }],
  ['WAREHOUSE_SQL_INVALID', { code: '000979', sqlState: '42601', message: "'X' is not a valid group by expression" }],
  ['WAREHOUSE_SQL_INVALID', { code: '000002', sqlState: '0A000', message: 'Unsupported feature.' }],
  ['WAREHOUSE_SQL_INVALID', { code: '999005', sqlState: '42601', message: 'SQL compilation error.' }],
  ['WAREHOUSE_SQL_INVALID', { code: '261000', sqlState: '0A000', message: 'not supported' }],
  ['WAREHOUSE_SESSION_LOST', { code: '300010', sqlState: 'XX000', message: 'Processing aborted by error 300010' }],
  ['WAREHOUSE_SESSION_LOST', { code: '370001', sqlState: 'XX000', message: 'Internal error.' }],
  ['WAREHOUSE_SESSION_LOST', { code: '999006', sqlState: 'XX000', message: 'Internal error.' }],
  ['WAREHOUSE_THROTTLED', { code: '999007', sqlState: '57P03', message: 'cannot connect now' }],
  ...(
    [
      ...[
        ['ECONNREFUSED', 'UNREACHABLE'],
        ['ECONNRESET', 'SESSION_LOST'],
        ['EPIPE', 'SESSION_LOST'],
      ],
      ...[
        ['ETIMEDOUT', 'UNREACHABLE'],
        ['ECONNABORTED', 'UNREACHABLE'],
        ['EHOSTUNREACH', 'UNREACHABLE'],
      ],
      ...[
        ['ENETUNREACH', 'UNREACHABLE'],
        ['EMFILE', 'THROTTLED'],
        ['EPROTO', 'UNREACHABLE'],
      ],
      ...[
        ['ERR_TLS_CERT_ALTNAME_INVALID', 'UNREACHABLE'],
        ['CERT_HAS_EXPIRED', 'UNREACHABLE'],
      ],
      ...[
        ['DEPTH_ZERO_SELF_SIGNED_CERT', 'UNREACHABLE'],
        ['SELF_SIGNED_CERT_IN_CHAIN', 'UNREACHABLE'],
      ],
      ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'UNREACHABLE'],
    ] as const
  ).map(
    ([code, name]) =>
      [
        `WAREHOUSE_${name}`,
        { code: 401001, sqlState: '08001', message: 'Network error.', cause: socket(String(code)) },
      ] as const,
  ),
  ['WAREHOUSE_CONFIG', { code: 401002, message: 'Request to Snowflake failed.', response: { statusCode: 403 } }],
  ['WAREHOUSE_CONFIG', { code: 401002, message: 'Request to Snowflake failed.', response: { statusCode: 404 } }],
  ['WAREHOUSE_THROTTLED', { code: 401002, message: 'Request to Snowflake failed.', response: { statusCode: 429 } }],
  ['WAREHOUSE_THROTTLED', { code: 401002, message: 'Request to Snowflake failed.', response: { statusCode: 503 } }],
  ['WAREHOUSE_UNREACHABLE', { code: 401001, message: 'Network error. Could not reach Snowflake.' }],
  ['WAREHOUSE_UNREACHABLE', { code: 401002, message: 'Request to Snowflake failed.', response: { statusCode: 500 } }],
  ['WAREHOUSE_UNREACHABLE', { code: 401003, message: 'Snowflake responded with non-JSON content.' }],
  ['WAREHOUSE_SESSION_LOST', { code: 401004, message: 'Snowflake responded with an invalid token.' }],
  ['WAREHOUSE_SESSION_LOST', { code: 402001, sqlState: '08001', message: 'Network error. Could not reach S3/Blob.' }],
  ['WAREHOUSE_SESSION_LOST', { code: 402002, message: 'Request to S3/Blob failed.', response: { statusCode: 404 } }],
  ['WAREHOUSE_CONFIG', { code: 404026, message: 'Invalid private key.' }],
  ['WAREHOUSE_SESSION_LOST', { code: 405503, message: 'Already disconnected.' }],
  [
    'WAREHOUSE_SESSION_LOST',
    { code: 407002, sqlState: '08003', message: 'Unable to perform operation: terminated connection.' },
  ],
  ['WAREHOUSE_UNREACHABLE', { code: '999008', sqlState: '08001', message: 'unable to connect' }],
  [
    'WAREHOUSE_SESSION_LOST',
    { message: 'Unknown', cause: new Error('A part of the result holds 2 rows where 10 were announced') },
  ],
];

function isOf({ code, state, status, holds, name, isSignIn = false }: Rule, seen: Seen): boolean {
  const { code: causeCode = '' } = (seen.cause ?? {}) as { readonly code?: string };
  const texts = [String(seen.code), causeCode, seen.cause?.message ?? ''];
  return (
    (code === undefined || texts.some((text) => text.startsWith(code))) &&
    (state === undefined || (seen.sqlState ?? '').startsWith(state)) &&
    (name === undefined || seen.name === name) &&
    (status === undefined || seen.response?.statusCode === status) &&
    (holds === undefined || seen.message.toLowerCase().includes(holds)) &&
    (!isSignIn || seen.isSignIn === true)
  );
}

describe('an error', () => {
  it.each(SEEN)('is %s: %j', (expected, seen) => {
    const error = errorOf(seen);
    const classified = classify(error);
    expect(classified).toMatchObject({ code: expected, cause: error });
    expect(classified.message).toContain(seen.message);
  });

  it.each(RULES)('of the rule %j has been seen', (rule) => {
    const seen = SEEN.filter(([expected, error]) => expected === rule.is && isOf(rule, error));
    expect(seen).not.toEqual([]);
  });

  it('that we raised ourselves comes out of whatever the SDK wrapped it in', () => {
    const ours = new AppError('WAREHOUSE_CONFIG', 'Connections may not use the host.');
    expect(classify(errorOf({ code: 401001, message: 'Network error.', cause: new Error('x', { cause: ours }) }))).toBe(
      ours,
    );
  });
});
