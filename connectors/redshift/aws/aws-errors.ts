// Errors of the APIs of AWS that give credentials, and of S3.
import { AppError, type ErrorCode, say, template } from '../../../src/kernel/index.ts';
import { cutText } from '../../_shared/classifier.ts';
import { fieldOf } from '../../_shared/field-of.ts';
import { sentence } from '../../_shared/sentence.ts';

export interface AwsRule {
  /** Beginning of the error's name. */
  readonly name: string;
  readonly code: ErrorCode;
  readonly advice?: string;
}

const KEY_ADVICE = 'Check {config.aws_access_key_id} and {config.aws_secret_access_key}.';

const BUCKET_ADVICE = 'Set {config.s3_region} to the region of the bucket.';

/** Rules in order; the first match decides. https://docs.aws.amazon.com/redshift/latest/APIReference/CommonErrors.html */
export const AWS_RULES: readonly AwsRule[] = [
  {
    name: 'AccessDenied',
    code: 'WAREHOUSE_PERMISSION',
    advice: 'Allow this action in a policy of the IAM user or role.',
  },
  { name: 'UnauthorizedOperation', code: 'WAREHOUSE_PERMISSION' },
  {
    name: 'ClusterNotFound',
    code: 'WAREHOUSE_OBJECT_MISSING',
    advice: 'Check {config.cluster_identifier} and {config.aws_region}.',
  },
  {
    name: 'ResourceNotFound',
    code: 'WAREHOUSE_OBJECT_MISSING',
    advice: 'Check {config.workgroup_name} and {config.aws_region}.',
  },
  {
    name: 'ExpiredToken',
    code: 'WAREHOUSE_CREDENTIALS',
    advice: 'The temporary access key has expired. Give a new one.',
  },
  { name: 'InvalidClientTokenId', code: 'WAREHOUSE_CREDENTIALS', advice: KEY_ADVICE },
  { name: 'UnrecognizedClient', code: 'WAREHOUSE_CREDENTIALS', advice: KEY_ADVICE },
  { name: 'SignatureDoesNotMatch', code: 'WAREHOUSE_CREDENTIALS', advice: KEY_ADVICE },
  { name: 'InvalidSignature', code: 'WAREHOUSE_CREDENTIALS', advice: KEY_ADVICE },
  { name: 'IncompleteSignature', code: 'WAREHOUSE_CREDENTIALS', advice: KEY_ADVICE },
  { name: 'MissingAuthenticationToken', code: 'WAREHOUSE_CREDENTIALS', advice: KEY_ADVICE },
  // S3: https://docs.aws.amazon.com/AmazonS3/latest/API/ErrorResponses.html
  { name: 'NoSuchBucket', code: 'WAREHOUSE_OBJECT_MISSING', advice: 'Check {config.s3_uri}.' },
  { name: 'NoSuchKey', code: 'WAREHOUSE_SESSION_LOST', advice: 'Something else deletes files below {config.s3_uri}.' },
  { name: 'PreconditionFailed', code: 'WAREHOUSE_SESSION_LOST' },
  { name: 'PermanentRedirect', code: 'WAREHOUSE_CONFIG', advice: BUCKET_ADVICE },
  { name: 'AuthorizationHeaderMalformed', code: 'WAREHOUSE_CONFIG', advice: BUCKET_ADVICE },
  { name: 'IllegalLocationConstraint', code: 'WAREHOUSE_CONFIG', advice: BUCKET_ADVICE },
  { name: 'InvalidAccessKeyId', code: 'WAREHOUSE_CREDENTIALS', advice: KEY_ADVICE },
  { name: 'InvalidToken', code: 'WAREHOUSE_CREDENTIALS', advice: KEY_ADVICE },
  { name: 'AccountProblem', code: 'WAREHOUSE_CREDENTIALS' },
  { name: 'SlowDown', code: 'WAREHOUSE_THROTTLED' },
  { name: 'OptInRequired', code: 'WAREHOUSE_CREDENTIALS' },
  {
    name: 'CredentialsProviderError',
    code: 'WAREHOUSE_CREDENTIALS',
    advice: 'The daemon has no AWS identity. Give it one, or set {config.aws_access_key_id}.',
  },
  { name: 'Throttling', code: 'WAREHOUSE_THROTTLED' },
  { name: 'RequestLimitExceeded', code: 'WAREHOUSE_THROTTLED' },
  { name: 'Validation', code: 'WAREHOUSE_CONFIG' },
  { name: 'InvalidParameter', code: 'WAREHOUSE_CONFIG' },
  { name: 'UnsupportedOperation', code: 'WAREHOUSE_CONFIG' },
  { name: 'RegionDisabled', code: 'WAREHOUSE_CONFIG' },
  { name: 'TimeoutError', code: 'WAREHOUSE_UNREACHABLE' },
  { name: 'Service', code: 'WAREHOUSE_UNREACHABLE' },
  { name: 'Internal', code: 'WAREHOUSE_UNREACHABLE' },
];

/**
 * Returns the error of a call to AWS. AWS repeats headers of a request whose signature is wrong, the session token among them:
 * so secrets are blanked out, and the SDK's own error is not kept as the cause.
 */
export function nameAwsFailure(failure: unknown, secrets: readonly string[]): AppError {
  if (failure instanceof AppError) return failure;
  const [name, text] = failure instanceof Error ? [failure.name, failure.message] : ['', String(failure)];
  const said = cutText(secrets.reduce((words, secret) => words.replaceAll(secret, '***'), withoutToken(text)));
  const rule = AWS_RULES.find((candidate) => name.startsWith(candidate.name));
  const code = rule?.code ?? codeOfStatus(failure);
  const message = say`AWS: ${name}: ${sentence(said)}${rule?.advice === undefined ? '' : say` ${template(rule.advice)}`}`;
  return new AppError(code, message, { cause: Object.assign(new Error(said), { name }) });
}

/** Blanks the token of a role or of the daemon's identity, which no field of the configuration holds. */
function withoutToken(text: string): string {
  return text.replace(/(x-amz-security-token:)[^\s'"]+/gi, '$1***');
}

/** Returns the code of an error without a rule. A failure without an answer never reached AWS. */
function codeOfStatus(failure: unknown): ErrorCode {
  const status = fieldOf(fieldOf(failure, '$metadata'), 'httpStatusCode');
  if (typeof status !== 'number' || status >= 500) return 'WAREHOUSE_UNREACHABLE';
  if (status === 429) return 'WAREHOUSE_THROTTLED';
  return status === 403 ? 'WAREHOUSE_PERMISSION' : 'WAREHOUSE_UNKNOWN';
}
