import { describe, expect, it } from 'vitest';
import { classify, RULES } from '../../../connectors/redshift/errors.ts';
import { REDSHIFT_RULES, redshiftRuleOf } from '../../../connectors/redshift/redshift-rules.ts';
import { AppError, type ErrorCode } from '../../../src/kernel/index.ts';
import { PostgresAnswer } from '../../support/recorded/conversation.ts';
import { readRecorded } from '../../support/recorded/read-recorded.ts';

/** A row an error: its state or system code, its text, the class it lands in. What a server can be made to say is in conformance. */
const ERRORS: readonly (readonly [string, string, ErrorCode])[] = [
  ['57014', 'canceling statement due to statement timeout', 'WAREHOUSE_TIMEOUT'],
  ['28P01', 'password authentication failed for user "x"', 'WAREHOUSE_CREDENTIALS'],
  ['28000', 'no pg_hba.conf entry for host', 'WAREHOUSE_CREDENTIALS'],
  ['3D000', 'database "x" does not exist', 'WAREHOUSE_OBJECT_MISSING'],
  ['42501', 'permission denied for table t', 'WAREHOUSE_PERMISSION'],
  ['25006', 'cannot execute INSERT in a read-only transaction', 'SQL_REFUSED'],
  ['25001', 'transaction read-write mode must be set before any query', 'SQL_REFUSED'],
  ['42P01', 'relation "t" does not exist', 'WAREHOUSE_OBJECT_MISSING'],
  ['42703', 'column "c" does not exist', 'WAREHOUSE_OBJECT_MISSING'],
  ['3F000', 'schema "s" does not exist', 'WAREHOUSE_OBJECT_MISSING'],
  ['42601', 'syntax error at or near "x"', 'WAREHOUSE_SQL_INVALID'],
  ['42883', 'function f() does not exist', 'WAREHOUSE_SQL_INVALID'],
  ['0A000', 'not supported', 'WAREHOUSE_SQL_INVALID'],
  ['54001', 'stack depth limit exceeded', 'WAREHOUSE_SQL_INVALID'],
  ['22012', 'division by zero', 'WAREHOUSE_DATA'],
  ['21000', 'more than one row returned by a subquery', 'WAREHOUSE_DATA'],
  ['23514', 'value for domain violates check constraint', 'WAREHOUSE_DATA'],
  ['2F005', 'function executed no return statement', 'WAREHOUSE_DATA'],
  ['38000', 'external routine exception', 'WAREHOUSE_DATA'],
  ['39000', 'external routine invocation exception', 'WAREHOUSE_DATA'],
  ['55000', 'materialized view "m" has not been populated', 'WAREHOUSE_DATA'],
  ['P0001', 'stop here', 'WAREHOUSE_DATA'],
  ['HV000', 'foreign data wrapper', 'WAREHOUSE_DATA'],
  ['XX001', 'invalid page in block 0', 'WAREHOUSE_DATA'],
  ['XX002', 'index is corrupted', 'WAREHOUSE_DATA'],
  ['53400', 'temporary file size exceeds temp_file_limit', 'WAREHOUSE_DATA'],
  ['53300', 'too many connections', 'WAREHOUSE_THROTTLED'],
  ['53200', 'out of memory', 'WAREHOUSE_THROTTLED'],
  ['55006', 'database is being accessed by other users', 'WAREHOUSE_THROTTLED'],
  ['55P03', 'canceling statement due to lock timeout', 'WAREHOUSE_THROTTLED'],
  ['57P03', 'the database system is starting up', 'WAREHOUSE_UNREACHABLE'],
  ['57P04', 'database was dropped', 'WAREHOUSE_OBJECT_MISSING'],
  ['57P01', 'terminating connection due to administrator command', 'WAREHOUSE_SESSION_LOST'],
  ['57P05', 'terminating connection due to idle-session timeout', 'WAREHOUSE_SESSION_LOST'],
  ['25P03', 'terminating connection due to idle-in-transaction timeout', 'WAREHOUSE_SESSION_LOST'],
  ['40001', 'canceling statement due to conflict with recovery', 'WAREHOUSE_SESSION_LOST'],
  ['40P01', 'deadlock detected', 'WAREHOUSE_SESSION_LOST'],
  ['58030', 'could not read file', 'WAREHOUSE_SESSION_LOST'],
  ['08006', 'connection failure', 'WAREHOUSE_UNREACHABLE'],
  ['XX000', 'cache lookup failed for relation 7', 'WAREHOUSE_UNKNOWN'],
  ['ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:1', 'WAREHOUSE_UNREACHABLE'],
  ['ECONNRESET', 'read ECONNRESET', 'WAREHOUSE_SESSION_LOST'],
  ['EPIPE', 'write EPIPE', 'WAREHOUSE_SESSION_LOST'],
  ['ERR_STREAM_DESTROYED', 'Cannot call write after a stream was destroyed', 'WAREHOUSE_SESSION_LOST'],
  ['ETIMEDOUT', 'connect ETIMEDOUT', 'WAREHOUSE_UNREACHABLE'],
  ['EHOSTUNREACH', 'connect EHOSTUNREACH', 'WAREHOUSE_UNREACHABLE'],
  ['ENETUNREACH', 'connect ENETUNREACH', 'WAREHOUSE_UNREACHABLE'],
  ['EADDRNOTAVAIL', 'connect EADDRNOTAVAIL', 'WAREHOUSE_UNREACHABLE'],
  ['EMFILE', 'too many open files', 'WAREHOUSE_THROTTLED'],
  ['ERR_TLS_CERT_ALTNAME_INVALID', 'Hostname/IP does not match certificate', 'WAREHOUSE_CONFIG'],
  ['CERT_HAS_EXPIRED', 'certificate has expired', 'WAREHOUSE_CONFIG'],
  ['DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate', 'WAREHOUSE_CONFIG'],
  ['SELF_SIGNED_CERT_IN_CHAIN', 'self-signed certificate in certificate chain', 'WAREHOUSE_CONFIG'],
  ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'unable to verify the first certificate', 'WAREHOUSE_CONFIG'],
  ['ERR_SSL_WRONG_VERSION_NUMBER', 'wrong version number', 'WAREHOUSE_UNREACHABLE'],
  ['EPROTO', 'write EPROTO', 'WAREHOUSE_UNREACHABLE'],
  ['', 'The server does not support SSL connections', 'WAREHOUSE_CONFIG'],
  ['', 'There was an error establishing an SSL connection', 'WAREHOUSE_UNREACHABLE'],
  ['', 'timeout expired', 'WAREHOUSE_UNREACHABLE'],
  ['', 'Connection terminated unexpectedly', 'WAREHOUSE_SESSION_LOST'],
  ['', 'Client has encountered a connection error and is not queryable', 'WAREHOUSE_SESSION_LOST'],
  ['', 'Client was closed and is not queryable', 'WAREHOUSE_SESSION_LOST'],
  ['', 'Unknown authenticationOk message type 13', 'WAREHOUSE_CREDENTIALS'],
  ['', 'SASL: SCRAM-SERVER-FINAL-MESSAGE: server signature does not match', 'WAREHOUSE_CREDENTIALS'],
  ['', 'SCRAM server signature mismatch', 'WAREHOUSE_CREDENTIALS'],
  ['ERR_STRING_TOO_LONG', 'Cannot create a string longer than 0x1fffffe8 characters', 'WAREHOUSE_DATA'],
  ['', 'nobody has seen this', 'WAREHOUSE_UNKNOWN'],
];

function errorOf(code: string, message: string, more: object = {}): Error {
  return Object.assign(new Error(message), code === '' ? {} : { code }, more);
}

/** A row for each of Redshift's own errors that no recorded conversation has: its text, its details, the class it lands in. */
const OWN_ERRORS: readonly (readonly [string, string, ErrorCode])[] = [
  ['Access Denied', '', 'WAREHOUSE_PERMISSION'],
  ['User arn:x is not authorized to perform: glue:GetTable', '', 'WAREHOUSE_PERMISSION'],
  ['S3ServiceException:The specified key does not exist.,Status 404', '', 'WAREHOUSE_OBJECT_MISSING'],
  ['The specified bucket does not exist, Error NoSuchBucket', '', 'WAREHOUSE_OBJECT_MISSING'],
  ['The specified key does not exist, Error NoSuchKey', '', 'WAREHOUSE_OBJECT_MISSING'],
  ['S3ServiceException:Please reduce your request rate.,Status 503', '', 'WAREHOUSE_THROTTLED'],
  ['S3ServiceException:The authorization header is malformed,Status 400', '', 'WAREHOUSE_DATA'],
  ['S3ServiceException:expecting eu-west-1,Status 400,Error AuthorizationHeaderMalformed', '', 'WAREHOUSE_CONFIG'],
  ['S3 Query Exception (Fetch)', '', 'WAREHOUSE_DATA'],
  ['Disk Full', '', 'WAREHOUSE_THROTTLED'],
  ['Query reached usage limit', '', 'WAREHOUSE_THROTTLED'],
  ["Load into table 't' failed.  Check 'sys_load_error_detail' system table for details.", '', 'WAREHOUSE_DATA'],
  ['8001', "\n  error: Invalid digit\n  code:      8001\n  context:   Invalid digit, Value 'a'\n", 'WAREHOUSE_DATA'],
  ['9999', '\n  error: 9999\n  code:      9999\n  context:\n', 'WAREHOUSE_UNKNOWN'],
];

describe('an error of Redshift', () => {
  it.each(OWN_ERRORS)('%s, %j is %s', (text, detail, code) => {
    expect(classify(errorOf('XX000', text, { detail }))).toMatchObject({ code });
  });

  it('has a row here or a recorded conversation for every rule', async () => {
    const recorded = await readRecorded('redshift', PostgresAnswer);
    const all = [
      ...OWN_ERRORS.map(([text, details]) => redshiftRuleOf('XX000', text, details)),
      ...recorded.map(({ answer: { fields } }) => redshiftRuleOf(fields.C ?? '', fields.M ?? '', fields.D ?? '')),
    ];
    expect(REDSHIFT_RULES.filter((rule) => !all.includes(rule))).toEqual([]);
  });

  it('says the context of the details, and the details where they are one line', () => {
    const framed = errorOf('XX000', 'Assert', {
      detail: '\n  code:  1000\n  context:   0 is greater than 1\n  query: 7\n',
    });
    expect(classify(framed).message).toMatch(/^The warehouse: Assert \(XX000\)\. 0 is greater than 1\. Redshift/);
    expect(classify(errorOf('XX000', '1023', { detail: 'A violation' })).message).toContain('(XX000). A violation.');
  });

  it('is not looked for where a value of the customer may be quoted', () => {
    expect(classify(errorOf('22P02', 'invalid input syntax for type integer: "Disk Full"'))).toMatchObject({
      code: 'WAREHOUSE_DATA',
      message: expect.not.stringContaining('space'),
    });
    const unique = errorOf('23505', 'duplicate key value', { detail: 'Key (name)=(Assert) already exists.' });
    expect(classify(unique).message).not.toContain('Key (name)');
  });
});

describe('an error of server, socket or driver', () => {
  it.each(ERRORS)('%s %j is %s', (state, text, code) => {
    const cause = errorOf(state, text);
    expect(classify(cause)).toMatchObject({ code, cause, message: expect.stringContaining(text) });
  });

  it('has a row here for every rule', () => {
    const used = ERRORS.map(([state, text]) =>
      RULES.findIndex((rule) => state.startsWith(rule.state ?? '') && text.includes(rule.holds ?? '')),
    );
    expect(RULES.filter((_, index) => !used.includes(index))).toEqual([]);
  });

  it('gives state, hint and advice', () => {
    expect(
      classify(errorOf('42703', 'column "nam" does not exist', { hint: 'Perhaps you meant "name".' })).message,
    ).toBe('The warehouse: column "nam" does not exist (42703). Perhaps you meant "name".');
    expect(classify(errorOf('', 'The server does not support SSL connections')).message).toContain('config.sslmode');
  });

  it.each([
    ['permission denied for table t', 'GRANT SELECT ON t'],
    ['permission denied for materialized view "Odd m"', undefined],
    ['permission denied for materialized view m', 'GRANT SELECT ON m'],
    ['permission denied for relation r', 'GRANT SELECT ON r'],
    ['permission denied for schema "S"', 'GRANT USAGE ON SCHEMA "S"'],
    ['permission denied for function f', 'GRANT EXECUTE ON FUNCTION f'],
    ['permission denied to create temporary tables in database "d e"', 'GRANT TEMPORARY ON DATABASE "d e"'],
    ['permission denied for sequence s', 'GRANT SELECT ON SEQUENCE s'],
    ['permission denied for database d', 'GRANT CONNECT ON DATABASE d'],
    ['keine Berechtigung für Tabelle t', undefined],
  ])('names the grant that is missing: %s', (text, grant) => {
    const { message } = classify(errorOf('42501', text));
    if (grant === undefined) expect(message).not.toContain('GRANT');
    else expect(message).toContain(`It needs ${grant} for config.user.`);
  });

  it('names what each of several addresses said', () => {
    const failures = new AggregateError([new Error('one'), new Error('two')], '');
    expect(classify(Object.assign(failures, { code: 'ECONNREFUSED' })).message).toContain('one; Error: two');
  });

  it('of ours stays what it is', () => {
    const ours = new AppError('MODEL_INVALID', 'ours');
    expect(classify(ours)).toBe(ours);
  });
});
