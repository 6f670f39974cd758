import { describe, expect, it } from 'vitest';
import { classify, RULES } from '../../../connectors/databricks/errors.ts';
import { RefusedCall } from '../../../connectors/databricks/link.ts';
import { RefusedSignIn } from '../../../connectors/databricks/principal-token.ts';

const refused = (sqlState: string | undefined, message: string) => new RefusedCall('ERROR', message, sqlState);
const http = (statusCode: number, headers: Record<string, string> = {}) =>
  Object.assign(new Error(`Received a response with a bad HTTP status code: ${statusCode}`), {
    statusCode,
    response: { headers: new Headers(headers) },
  });
const socket = (code: string, reason = code) =>
  Object.assign(new Error(`request to https://dbc.example/sql failed, reason: ${reason}`), { code, type: 'system' });
const oauth = (error: string, description = 'no') => new RefusedSignIn(error, description);

/** One for each rule, in their order; the error classes and SQLSTATEs are those of the product's documentation. */
const SEEN: readonly (readonly [string, unknown, string])[] = [
  ['a forgotten session', new RefusedCall('INVALID_HANDLE', 'Invalid SessionHandle'), 'WAREHOUSE_SESSION_LOST'],
  ['a closed statement', new RefusedCall('CLOSED', 'closed'), 'WAREHOUSE_SESSION_LOST'],
  ['a statement that an admin cancelled', new RefusedCall('CANCELED', 'cancelled'), 'WAREHOUSE_TIMEOUT'],
  ['a statement past its time', new RefusedCall('TIMEDOUT', 'timed out'), 'WAREHOUSE_TIMEOUT'],
  ['a materialized view', refused('56038', '[MATERIALIZED_VIEW_OPERATION_NOT_ALLOWED] No.'), 'WAREHOUSE_SQL_INVALID'],
  ['a streaming table', refused('42601', '[STREAMING_TABLE_OPERATION_NOT_ALLOWED.X] No.'), 'WAREHOUSE_SQL_INVALID'],
  ['a column mask', refused('0A000', '[COLUMN_MASKS_FEATURE_NOT_SUPPORTED.X] No.'), 'WAREHOUSE_SQL_INVALID'],
  ['a lost race', refused(undefined, '[DELTA_CONCURRENT_APPEND] Files were added.'), 'WAREHOUSE_SESSION_LOST'],
  ['a lost race by its exception', refused(undefined, 'x.ConcurrentWriteException: No.'), 'WAREHOUSE_SESSION_LOST'],
  ['a lost race by its state', refused('2D521', 'lost'), 'WAREHOUSE_SESSION_LOST'],
  ['a cancelled operation', refused('HY008', '[OPERATION_CANCELED] It was.'), 'WAREHOUSE_TIMEOUT'],
  ['a timeout of the protocol', refused('HYT00', 'late'), 'WAREHOUSE_TIMEOUT'],
  ['a timeout of the query', refused('57KD0', '[QUERY_EXECUTION_TIMEOUT_EXCEEDED] Late.'), 'WAREHOUSE_TIMEOUT'],
  ['a cancelled query', refused('57014', 'cancelled'), 'WAREHOUSE_TIMEOUT'],
  ['a refused sign-in', refused('28000', 'no'), 'WAREHOUSE_CREDENTIALS'],
  ['a missing grant', refused('42501', '[INSUFFICIENT_PERMISSIONS] No SELECT on Table t.'), 'WAREHOUSE_PERMISSION'],
  ['a missing grant without a state', refused(undefined, '[PERMISSION_DENIED] No.'), 'WAREHOUSE_PERMISSION'],
  ['a missing grant by its name', refused(undefined, 'x.Exception: PERMISSION_DENIED: No.'), 'WAREHOUSE_PERMISSION'],
  ['a missing table without a state', refused(undefined, '[TABLE_OR_VIEW_NOT_FOUND] t'), 'WAREHOUSE_OBJECT_MISSING'],
  ['a missing table', refused('42P01', '[TABLE_OR_VIEW_NOT_FOUND] t'), 'WAREHOUSE_OBJECT_MISSING'],
  ['a missing column', refused('42703', '[UNRESOLVED_COLUMN] c'), 'WAREHOUSE_OBJECT_MISSING'],
  ['a name of two things', refused('42704', '[AMBIGUOUS_REFERENCE] a'), 'WAREHOUSE_SQL_INVALID'],
  ['a missing schema', refused('42704', '[SCHEMA_NOT_FOUND] s'), 'WAREHOUSE_OBJECT_MISSING'],
  ['a syntax error', refused('42601', '[PARSE_SYNTAX_ERROR] at FROM'), 'WAREHOUSE_SQL_INVALID'],
  ['what is not supported', refused('0A000', '[UNSUPPORTED_FEATURE] x'), 'WAREHOUSE_SQL_INVALID'],
  ['too many parameters', refused('54000', '[QUERY_PARAMETER_LIMIT] 256'), 'WAREHOUSE_SQL_INVALID'],
  ['what is not switched on', refused('56038', '[DELTA_FEATURE] x'), 'WAREHOUSE_SQL_INVALID'],
  ['two rows for one', refused('21000', '[SCALAR_SUBQUERY_TOO_MANY_ROWS]'), 'WAREHOUSE_DATA'],
  ['a division by zero', refused('22012', '[DIVIDE_BY_ZERO] x'), 'WAREHOUSE_DATA'],
  ['a broken constraint', refused('23001', '[DELTA_VIOLATE_CONSTRAINT] x'), 'WAREHOUSE_DATA'],
  ['a function that fails', refused('38000', '[UDF] x'), 'WAREHOUSE_DATA'],
  ['a function that fails elsewhere', refused('39000', '[FAILED_EXECUTE_UDF] x'), 'WAREHOUSE_DATA'],
  ['an error of the model’s own', refused('P0001', '[USER_RAISED_EXCEPTION] x'), 'WAREHOUSE_DATA'],
  ['a source that cannot be read', refused('KD001', '[FAILED_READ_FILE] x'), 'WAREHOUSE_DATA'],
  ['a connection of the warehouse’s own', refused('08000', 'x'), 'WAREHOUSE_UNREACHABLE'],
  ['a conflict', refused('40001', 'x'), 'WAREHOUSE_SESSION_LOST'],
  ['a want of memory', refused('53200', '[UNABLE_TO_ACQUIRE_MEMORY] x'), 'WAREHOUSE_THROTTLED'],
  ['a stop of the warehouse', refused('57012', 'x'), 'WAREHOUSE_SESSION_LOST'],
  ['a failure of the system', refused('58030', 'x'), 'WAREHOUSE_SESSION_LOST'],
  ['an HTTP path that is wrong', http(400), 'WAREHOUSE_OBJECT_MISSING'],
  ['a token that is wrong', http(401), 'WAREHOUSE_CREDENTIALS'],
  [
    'an address that is refused',
    http(403, { 'x-databricks-reason-phrase': 'Source IP address: 192.0.2.1 is blocked by Databricks IP ACL' }),
    'WAREHOUSE_PERMISSION',
  ],
  ['a token that is refused', http(403), 'WAREHOUSE_CREDENTIALS'],
  ['a warehouse that is not there', http(404), 'WAREHOUSE_OBJECT_MISSING'],
  ['too many requests', http(429, { 'retry-after': '7' }), 'WAREHOUSE_THROTTLED'],
  ['a warehouse that starts', http(503, { 'retry-after': '5' }), 'WAREHOUSE_UNREACHABLE'],
  ['a gateway without a server', http(502), 'WAREHOUSE_UNREACHABLE'],
  ['another answer', http(302), 'WAREHOUSE_UNREACHABLE'],
  ['an OAuth secret that is wrong', oauth('invalid_client'), 'WAREHOUSE_CREDENTIALS'],
  ['an OAuth client without the right', oauth('unauthorized_client'), 'WAREHOUSE_CREDENTIALS'],
  ['an OAuth client that is refused', oauth('access_denied'), 'WAREHOUSE_CREDENTIALS'],
  ['an OAuth server that fails', oauth('server_error'), 'WAREHOUSE_UNREACHABLE'],
  ['a request without an answer', new Error('Request timed out'), 'WAREHOUSE_UNREACHABLE'],
  ['a socket that hung up', new Error('socket hang up'), 'WAREHOUSE_SESSION_LOST'],
  ['an answer that is too long', new Error('content size at https://h/sql over limit: 1000'), 'WAREHOUSE_DATA'],
  ['a text that is too long', new Error('Cannot create a string longer than 0x1fffffe8 characters'), 'WAREHOUSE_DATA'],
];

const SOCKETS: readonly (readonly [string, unknown, string])[] = [
  ['a closed port', socket('ECONNREFUSED'), 'WAREHOUSE_UNREACHABLE'],
  ['a reset', socket('ECONNRESET'), 'WAREHOUSE_SESSION_LOST'],
  ['a broken pipe', socket('EPIPE'), 'WAREHOUSE_SESSION_LOST'],
  ['a stream that ended', socket('ERR_STREAM_PREMATURE_CLOSE'), 'WAREHOUSE_SESSION_LOST'],
  ['no answer', socket('ETIMEDOUT'), 'WAREHOUSE_UNREACHABLE'],
  ['an unknown host', socket('ENOTFOUND'), 'WAREHOUSE_UNREACHABLE'],
  ['a name server that is gone', socket('EAI_AGAIN'), 'WAREHOUSE_UNREACHABLE'],
  ['no way to the host', socket('EHOSTUNREACH'), 'WAREHOUSE_UNREACHABLE'],
  ['no network', socket('ENETUNREACH'), 'WAREHOUSE_UNREACHABLE'],
  ['no address', socket('EADDRNOTAVAIL'), 'WAREHOUSE_UNREACHABLE'],
  ['no file left', socket('EMFILE'), 'WAREHOUSE_THROTTLED'],
  ['a certificate for another name', socket('ERR_TLS_CERT_ALTNAME_INVALID'), 'WAREHOUSE_CONFIG'],
  ['a certificate past its time', socket('CERT_HAS_EXPIRED'), 'WAREHOUSE_CONFIG'],
  ['a certificate of its own', socket('DEPTH_ZERO_SELF_SIGNED_CERT'), 'WAREHOUSE_CONFIG'],
  ['an authority of its own', socket('SELF_SIGNED_CERT_IN_CHAIN'), 'WAREHOUSE_CONFIG'],
  ['an unknown authority', socket('UNABLE_TO_VERIFY_LEAF_SIGNATURE'), 'WAREHOUSE_CONFIG'],
  ['broken TLS', socket('ERR_SSL_WRONG_VERSION_NUMBER'), 'WAREHOUSE_UNREACHABLE'],
  ['another protocol', socket('EPROTO'), 'WAREHOUSE_UNREACHABLE'],
];

describe('the classes of errors', () => {
  it.each([...SEEN, ...SOCKETS])('%s', (_, error, code) => {
    expect(classify(error)).toMatchObject({ code, cause: error });
  });

  it('have a row for each rule', () => {
    expect(SEEN).toHaveLength(RULES.length);
  });

  it('keep what the server said, without its plan and statement, and the state once', () => {
    const text =
      '[TABLE_OR_VIEW_NOT_FOUND] The table `t` cannot be found.\nIf you did not.\n SQLSTATE: 42P01; line 2 pos 14;';
    expect(classify(refused(undefined, text)).message).toBe(
      'The warehouse: [TABLE_OR_VIEW_NOT_FOUND] The table `t` cannot be found. (42P01).',
    );
  });

  it('say when to come back, where the server says so', () => {
    expect(classify(http(429, { 'retry-after': '7' }))).toMatchObject({ retryAfterSeconds: 7 });
    expect(classify(http(429))).toMatchObject({ retryAfterSeconds: undefined });
  });

  it('say why the server refuses', () => {
    expect(classify(http(403, { 'x-databricks-reason-phrase': 'Invalid access token.' })).message).toContain(
      'Invalid access token.',
    );
  });

  it('give what the gate of the sockets said as it was', () => {
    expect(classify(socket('WAREHOUSE_CONFIG', 'The host "x" is none.'))).toMatchObject({
      code: 'WAREHOUSE_CONFIG',
      message: 'The host "x" is none.',
    });
  });
});
