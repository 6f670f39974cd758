import { describe, expect, it } from 'vitest';
import { classify, RULES, reasonOf } from '../../../connectors/bigquery/errors.ts';
import type { ErrorCode } from '../../../src/kernel/index.ts';

/** As the SDK throws an error of the REST API. */
const rest = (reason: string, message: string, code = 400) =>
  Object.assign(new Error(message), { code, errors: [{ reason, message, domain: 'global' }] });
/** As it throws what has no body that it knows. */
const http = (code: number, message: string) => Object.assign(new Error(message), { code, errors: [] });
const grpc = (code: number, details: string) =>
  Object.assign(new Error(`${code} X: ${details}`), { code, details, metadata: {} });
const socket = (code: string) => Object.assign(new Error(`connect ${code} 1.2.3.4:443`), { code });

/** Texts as BigQuery documents them, or as its users report them. */
const CASES: readonly (readonly [ErrorCode, Error, string?])[] = [
  [
    'WAREHOUSE_PERMISSION',
    rest(
      'accessDenied',
      'Access Denied: Project p: User does not have bigquery.jobs.create permission in project p.',
      403,
    ),
    'roles/bigquery.jobUser',
  ],
  [
    'WAREHOUSE_PERMISSION',
    rest(
      'accessDenied',
      'Access Denied: Table p:d.t: User does not have permission to query table p:d.t, or perhaps it does not exist.',
      403,
    ),
    'roles/bigquery.dataViewer',
  ],
  [
    'WAREHOUSE_PERMISSION',
    rest('accessDenied', 'Access Denied: Dataset p:d: Permission bigquery.datasets.get denied on dataset p:d', 403),
    'roles/bigquery.dataViewer',
  ],
  [
    'WAREHOUSE_PERMISSION',
    rest('accessDenied', 'Access Denied: Table p:d.t: Permission bigquery.tables.updateData denied', 403),
    'roles/bigquery.dataEditor',
  ],
  [
    'WAREHOUSE_PERMISSION',
    rest('accessDenied', 'Access Denied: BigQuery BigQuery: Permission denied while getting Drive credentials.', 403),
    'config.drive_access',
  ],
  [
    'WAREHOUSE_PERMISSION',
    new Error(
      "PERMISSION_DENIED: unable to impersonate: Permission 'iam.serviceAccounts.getAccessToken' denied on resource",
    ),
    'roles/iam.serviceAccountTokenCreator',
  ],
  [
    'WAREHOUSE_CREDENTIALS',
    new Error('Could not load the default credentials. Browse to https://cloud.google.com/docs/authentication'),
    'GOOGLE_APPLICATION_CREDENTIALS',
  ],
  [
    'WAREHOUSE_CREDENTIALS',
    new Error('Error code invalid_grant: ID Token issued at 0 is stale to sign-in.'),
    'config.workload_identity',
  ],
  ['WAREHOUSE_PERMISSION', rest('billingNotEnabled', 'Billing has not been enabled for this project.', 403), 'billing'],
  [
    'WAREHOUSE_PERMISSION',
    rest('accessNotConfigured', 'BigQuery API has not been used in project 1 before', 403),
    'API',
  ],
  ['WAREHOUSE_PERMISSION', rest('insufficientPermissions', 'Request had insufficient authentication scopes.', 403)],
  ['WAREHOUSE_PERMISSION', rest('forbidden', 'The caller does not have permission', 403)],
  ['WAREHOUSE_CREDENTIALS', rest('authError', 'Invalid Credentials', 401), 'service_account_key'],
  ['WAREHOUSE_CREDENTIALS', rest('required', 'Login Required.', 401)],
  ['WAREHOUSE_CREDENTIALS', rest('invalidUser', 'The user is not valid.')],
  ['WAREHOUSE_OBJECT_MISSING', rest('notFound', 'Not found: Table p:d.t was not found in location US', 404), 'p:d.t'],
  ['WAREHOUSE_OBJECT_MISSING', rest('notFound', 'Not found: Dataset p:d', 404)],
  ['WAREHOUSE_PERMISSION', rest('policyViolation', 'VPC Service Controls: Request is prohibited', 403), 'perimeter'],
  ['WAREHOUSE_OBJECT_MISSING', rest('notFound', 'Not found: Project p', 404), 'config.project_id'],
  ['WAREHOUSE_SESSION_LOST', rest('notFound', 'Not found: Job p:US.job_1', 404)],
  [
    'WAREHOUSE_OBJECT_MISSING',
    rest('notFound', 'Not found: Table p:ds.job_history was not found in location US', 404),
    'p:ds.job_history',
  ],
  ['WAREHOUSE_OBJECT_MISSING', rest('notFound', 'Not found: Dataset p:Jobs', 404), 'p:Jobs'],
  [
    'WAREHOUSE_SESSION_LOST',
    rest('invalidQuery', 'Could not serialize access to table p:d.t due to concurrent update'),
  ],
  [
    'WAREHOUSE_SESSION_LOST',
    rest('invalidQuery', 'Transaction is aborted due to concurrent update against table p:d.t. Transaction ID: 1'),
  ],
  ['WAREHOUSE_OBJECT_MISSING', rest('invalidQuery', 'Unrecognized name: nothing at [1:8]'), 'nothing'],
  ['WAREHOUSE_OBJECT_MISSING', rest('invalidQuery', 'Name x not found inside t at [1:8]')],
  ['WAREHOUSE_OBJECT_MISSING', rest('invalidQuery', 'Query error: Name x not found inside t at [1:8]')],
  ['WAREHOUSE_SQL_INVALID', rest('invalidQuery', 'Syntax error: Unexpected keyword WHERE at [1:13]')],
  [
    'WAREHOUSE_SQL_INVALID',
    rest('invalidQuery', 'No matching signature for operator + for argument types: DATE, STRING. at [1:8]'),
  ],
  ['WAREHOUSE_SQL_INVALID', rest('invalidQuery', "Query parameter 'mine' not found at [1:8]"), 'mine'],
  [
    'WAREHOUSE_SQL_INVALID',
    rest(
      'invalidQuery',
      "Cannot query over table 'p.d.t' without a filter over column(s) 'day' that can be used for partition elimination",
    ),
    'Filter the partitions in the model',
  ],
  [
    'MODEL_INVALID',
    rest('invalidQuery', 'Duplicate column names in the result are not supported. Found duplicate(s): a'),
  ],
  ['WAREHOUSE_DATA', rest('invalidQuery', 'Bad int64 value: x1'), 'x1'],
  ['WAREHOUSE_DATA', rest('invalidQuery', 'division by zero: 1 / 0')],
  ['WAREHOUSE_DATA', rest('invalidQuery', 'Scalar subquery produced more than one element')],
  ['WAREHOUSE_DATA', rest('resourcesExceeded', 'Resources exceeded during query execution: Not enough memory')],
  ['WAREHOUSE_DATA', rest('responseTooLarge', 'Response too large to return.', 403)],
  ['WAREHOUSE_DATA', rest('billingTierLimitExceeded', 'Query exceeded resource limits for tier 1.')],
  [
    'WAREHOUSE_DATA',
    rest('bytesBilledLimitExceeded', 'Query exceeded limit for bytes billed: 10485760. 20971520 or higher required.'),
    'config.maximum_bytes_billed',
  ],
  ['WAREHOUSE_CONFIG', rest('invalid', 'Invalid value for location: nowhere is not a valid value'), 'config.region'],
  ['WAREHOUSE_SQL_INVALID', rest('invalid', 'Invalid value')],
  ['WAREHOUSE_SQL_INVALID', rest('badRequest', 'Invalid field name')],
  ['WAREHOUSE_SQL_INVALID', rest('notImplemented', 'This feature is not implemented', 501)],
  ['WAREHOUSE_THROTTLED', rest('rateLimitExceeded', 'Exceeded rate limits: too many concurrent queries', 403)],
  ['WAREHOUSE_THROTTLED', rest('userRateLimitExceeded', 'User Rate Limit Exceeded', 403)],
  ['WAREHOUSE_THROTTLED', rest('jobRateLimitExceeded', 'Job exceeded rate limits', 403)],
  [
    'WAREHOUSE_THROTTLED',
    rest('quotaExceeded', 'Quota exceeded: Your project exceeded quota for free query bytes scanned', 403),
  ],
  ['WAREHOUSE_THROTTLED', rest('resourceInUse', 'The dataset is not empty')],
  ['WAREHOUSE_THROTTLED', rest('blocked', 'The operation was blocked', 403)],
  [
    'WAREHOUSE_THROTTLED',
    rest(
      'invalidQuery',
      'UPDATE or DELETE statement over table p.d.t would affect rows in the streaming buffer, which is not supported',
    ),
    '90 minutes',
  ],
  [
    'WAREHOUSE_UNREACHABLE',
    rest('backendError', 'Error encountered during execution. Retrying may solve the problem.', 503),
  ],
  ['WAREHOUSE_UNREACHABLE', rest('jobBackendError', 'The job encountered an error')],
  [
    'WAREHOUSE_UNREACHABLE',
    rest('internalError', 'An internal error occurred and the request could not be completed.', 500),
  ],
  ['WAREHOUSE_UNREACHABLE', rest('jobInternalError', 'The job encountered an internal error')],
  ['WAREHOUSE_UNREACHABLE', rest('tableUnavailable', 'The table is not available')],
  ['WAREHOUSE_TIMEOUT', rest('timeout', 'The job timed out')],
  ['WAREHOUSE_TIMEOUT', rest('stopped', 'Job execution was cancelled: Job timed out after 1s')],
  ['WAREHOUSE_SESSION_LOST', rest('stopped', 'Job execution was cancelled: User requested cancellation')],
  ['WAREHOUSE_SESSION_LOST', rest('duplicate', 'Already Exists: Job p:US.x', 409)],
  ['WAREHOUSE_CREDENTIALS', Object.assign(new Error('invalid_grant: Invalid JWT Signature.'), { code: '400' })],
  [
    'WAREHOUSE_CREDENTIALS',
    Object.assign(new Error('invalid_client: The OAuth client was not found.'), { code: '401' }),
  ],
  ['WAREHOUSE_CREDENTIALS', new Error('error:1E08010C:DECODER routines::unsupported')],
  [
    'WAREHOUSE_PERMISSION',
    grpc(7, 'there was an error: user does not have bigquery.readsessions.create permission'),
    'readSessionUser',
  ],
  ['WAREHOUSE_CREDENTIALS', grpc(16, 'Request had invalid authentication credentials.')],
  ['WAREHOUSE_SESSION_LOST', grpc(5, 'Not found: Table p:_x.y')],
  ['WAREHOUSE_THROTTLED', grpc(8, 'Quota exceeded')],
  ['WAREHOUSE_TIMEOUT', grpc(4, 'Deadline exceeded')],
  ['WAREHOUSE_SESSION_LOST', grpc(14, 'Connection dropped')],
  ['WAREHOUSE_SESSION_LOST', grpc(10, 'Aborted')],
  ['WAREHOUSE_SESSION_LOST', grpc(1, 'Cancelled')],
  ['WAREHOUSE_SESSION_LOST', grpc(13, 'Received RST_STREAM with code 2')],
  ['WAREHOUSE_SESSION_LOST', grpc(15, 'Data loss')],
  ['WAREHOUSE_UNREACHABLE', socket('ECONNREFUSED')],
  ['WAREHOUSE_UNREACHABLE', socket('ENOTFOUND')],
  ['WAREHOUSE_UNREACHABLE', socket('EAI_AGAIN')],
  ['WAREHOUSE_UNREACHABLE', socket('ETIMEDOUT')],
  ['WAREHOUSE_UNREACHABLE', socket('EHOSTUNREACH')],
  ['WAREHOUSE_UNREACHABLE', socket('ENETUNREACH')],
  ['WAREHOUSE_UNREACHABLE', socket('EPROTO')],
  ['WAREHOUSE_SESSION_LOST', socket('ECONNRESET')],
  ['WAREHOUSE_SESSION_LOST', socket('EPIPE')],
  ['WAREHOUSE_SESSION_LOST', socket('ERR_STREAM_PREMATURE_CLOSE')],
  ['WAREHOUSE_SESSION_LOST', new SyntaxError("Expected ',' or '}' after property value in JSON at position 23")],
  ['WAREHOUSE_SESSION_LOST', new Error('socket hang up')],
  ['WAREHOUSE_UNREACHABLE', new Error('unable to verify the first certificate')],
  ['WAREHOUSE_CREDENTIALS', http(401, 'Unauthorized')],
  ['WAREHOUSE_PERMISSION', http(403, 'Forbidden')],
  ['WAREHOUSE_OBJECT_MISSING', http(404, 'Not Found')],
  ['WAREHOUSE_TIMEOUT', http(408, 'Request Timeout')],
  ['WAREHOUSE_SESSION_LOST', http(409, 'Conflict')],
  ['WAREHOUSE_THROTTLED', http(429, 'Too Many Requests')],
  ['WAREHOUSE_UNREACHABLE', http(500, 'Internal Server Error')],
  ['WAREHOUSE_UNREACHABLE', http(502, 'Bad Gateway')],
  ['WAREHOUSE_UNREACHABLE', http(503, 'Service Unavailable')],
  ['WAREHOUSE_UNREACHABLE', http(504, 'Gateway Timeout')],
];

describe('an error of BigQuery', () => {
  const cases = CASES.map(([code, error, named = '']) => ({ code, error, named }));
  it.each(cases)('is $code: $error.message', ({ code, error, named }) => {
    const found = classify(error);
    expect(found).toMatchObject({ code, cause: error, message: expect.stringContaining(named) });
  });

  it('has a case for each row of the table', () => {
    const met = CASES.map(([, error]) => error);
    const unmet = RULES.filter((rule) => {
      const others = RULES.slice(0, RULES.indexOf(rule));
      return !met.some((error) => fits(rule, error) && !others.some((other) => fits(other, error)));
    });
    expect(unmet).toEqual([]);
  });

  it('that nobody has seen stays unknown, with its cause', () => {
    const strange = rest('somethingNew', 'What is this?');
    expect(classify(strange)).toMatchObject({ code: 'WAREHOUSE_UNKNOWN', cause: strange });
    expect(classify(grpc(3, 'Bad argument'))).toMatchObject({ code: 'WAREHOUSE_UNKNOWN' });
  });
});

function fits(rule: (typeof RULES)[number], error: Error): boolean {
  const { errors, code } = error as { readonly errors?: readonly { message: string }[]; readonly code?: unknown };
  const text = errors?.[0]?.message ?? error.message;
  return (
    (rule.reason === undefined || reasonOf(error) === rule.reason) &&
    (rule.status === undefined || Number(code) === rule.status) &&
    (rule.holds === undefined || rule.holds.test(text))
  );
}
