// Errors of Redshift's own. Nearly all have the state XX000, so their texts tell them apart. The text is sometimes only a number,
// such as 1023, and the reason stands in the details, in a frame of lines: `error:`, `code:`, `context:`, `query:`, `location:`.
import type { ErrorCode } from '../../src/kernel/index.ts';

export interface RedshiftRule {
  /** Text that the message or the details must contain. */
  readonly holds: string;
  readonly code: ErrorCode;
  readonly advice?: string;
}

/** States that these errors have. Other errors may quote a value of the customer, which must not match a rule. */
const OWN_STATES = /^(XX000|57014|53|28)/;

const ROLE_ADVICE =
  'Allow the IAM role of the cluster to use this place in S3: s3:GetObject and s3:ListBucket to read, s3:PutObject to unload, ' +
  'kms:Decrypt where a key encrypts the bucket.';
const ATTACH_ADVICE =
  'Attach the role to the cluster or to the namespace of the workgroup, and let its trust policy name redshift.amazonaws.com ' +
  'and redshift-serverless.amazonaws.com.';
const LATER_ADVICE = 'It is tried again later.';

/**
 * Rules in order; the first match decides. Sources: https://docs.aws.amazon.com/redshift/latest/dg/c-spectrum-troubleshooting.html,
 * https://aws.amazon.com/premiumsupport/knowledge-center/redshift-query-abort/ and the recorded errors of `test/conformance`.
 */
export const REDSHIFT_RULES: readonly RedshiftRule[] = [
  {
    holds: 'maximum size allowed for the total set of cursor data',
    code: 'WAREHOUSE_DATA',
    advice:
      'The leader node keeps the whole result of a cursor, up to a limit of its node type. Set {config.s3_uri} and ' +
      '{config.s3_iam_role}: full loads are unloaded there, past the limit. If both are set, cast columns of real, double precision, ' +
      'SUPER, interval, geometry and geography, which need a cursor. Or select fewer columns or rows in the model, or use a larger ' +
      'node type or several nodes.',
  },
  {
    holds: 'of Query Monitoring Rule',
    code: 'WAREHOUSE_DATA',
    advice:
      'A query monitoring rule of the warehouse forbids what this statement does. Make the model cheaper, or ask the administrator ' +
      'for a WLM queue or a rule that allows it.',
  },
  { holds: 'system requested abort', code: 'WAREHOUSE_THROTTLED', advice: LATER_ADVICE },
  {
    holds: "cancelled on user's request",
    code: 'WAREHOUSE_TIMEOUT',
    advice: 'A timeout of a WLM queue, an administrator or PENSTOCK_WAREHOUSE_TIMEOUT_S cancelled the statement.',
  },
  {
    holds: 'reached usage limit',
    code: 'WAREHOUSE_THROTTLED',
    advice: 'Raise the usage limit of the cluster or workgroup, or wait for its next period.',
  },
  { holds: 'exceeded for non-bootstrap users', code: 'WAREHOUSE_THROTTLED', advice: 'Close other connections.' },
  { holds: 'erializable isolation violation', code: 'WAREHOUSE_SESSION_LOST' },
  { holds: 'conflict with concurrent transaction', code: 'WAREHOUSE_SESSION_LOST' },
  {
    holds: 'IAM Authentication token has expired',
    code: 'WAREHOUSE_CREDENTIALS',
    advice: 'The password is a temporary one. Use a password that lasts.',
  },
  { holds: 'not authorized to assume IAM Role', code: 'WAREHOUSE_PERMISSION', advice: ATTACH_ADVICE },
  { holds: 'Not authorized to get credentials of role', code: 'WAREHOUSE_PERMISSION', advice: ATTACH_ADVICE },
  {
    holds: 'Error PermanentRedirect',
    code: 'WAREHOUSE_CONFIG',
    advice: 'The bucket is in another region than the cluster. Set {config.s3_region}.',
  },
  {
    holds: 'Error AuthorizationHeaderMalformed',
    code: 'WAREHOUSE_CONFIG',
    advice: 'The bucket is in another region than the cluster. Set {config.s3_region}.',
  },
  // https://github.com/apache/hop/issues/3469
  {
    holds: 'The specified S3 prefix',
    code: 'WAREHOUSE_SESSION_LOST',
    advice: 'Something else deletes files below {config.s3_uri}.',
  },
  { holds: 'Status 403', code: 'WAREHOUSE_PERMISSION', advice: ROLE_ADVICE },
  { holds: 'Access Denied', code: 'WAREHOUSE_PERMISSION', advice: ROLE_ADVICE },
  { holds: 'is not authorized to perform', code: 'WAREHOUSE_PERMISSION' },
  { holds: 'Status 404', code: 'WAREHOUSE_OBJECT_MISSING' },
  { holds: 'NoSuchBucket', code: 'WAREHOUSE_OBJECT_MISSING' },
  { holds: 'NoSuchKey', code: 'WAREHOUSE_OBJECT_MISSING' },
  { holds: 'Status 503', code: 'WAREHOUSE_THROTTLED', advice: LATER_ADVICE },
  { holds: 'Spectrum Scan Error: Retries exceeded', code: 'WAREHOUSE_THROTTLED', advice: LATER_ADVICE },
  { holds: 'Spectrum Scan Error: Access throttled', code: 'WAREHOUSE_THROTTLED', advice: LATER_ADVICE },
  { holds: 'retries exceeded', code: 'WAREHOUSE_THROTTLED', advice: LATER_ADVICE },
  { holds: 'Resource temporarily unavailable', code: 'WAREHOUSE_THROTTLED', advice: LATER_ADVICE },
  { holds: 'Spectrum', code: 'WAREHOUSE_DATA' },
  { holds: 'S3ServiceException', code: 'WAREHOUSE_DATA' },
  { holds: 'S3 Query Exception', code: 'WAREHOUSE_DATA' },
  { holds: 'Disk Full', code: 'WAREHOUSE_THROTTLED', advice: 'The nodes have no space left for what the query keeps.' },
  {
    holds: 'Assert',
    code: 'WAREHOUSE_DATA',
    advice:
      'Redshift failed an internal check of its own while it ran the statement, often in a cast. Rewrite the model.',
  },
  { holds: 'stl_load_errors', code: 'WAREHOUSE_DATA' },
  { holds: 'sys_load_error_detail', code: 'WAREHOUSE_DATA' },
];

/** Returns the rule of an error; undefined for an error that is not Redshift's own, or unknown. */
export function redshiftRuleOf(state: string, text: string, details: string): RedshiftRule | undefined {
  if (!OWN_STATES.test(state)) return undefined;
  return REDSHIFT_RULES.find(({ holds }) => text.includes(holds) || details.includes(holds));
}

const CONTEXT = /^ *context: +(\S.*)$/m;
/** First code of the frame: 8001 is an error in data of the customer, such as a text that is too long for its column. */
const DATA_CODE = /^ *code: +8001 *$/m;

/** Returns what the details say beyond the text: the context of the frame, or the only line that they have. */
export function reasonOf(details: string): string | undefined {
  const line = details.trim();
  if (line === '') return undefined;
  return line.includes('\n') ? CONTEXT.exec(details)?.[1] : line;
}

export function isDataError(details: string): boolean {
  return DATA_CODE.test(details);
}
