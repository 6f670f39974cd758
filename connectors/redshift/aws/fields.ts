// Fields of a connection that signs in to Redshift through AWS: IAM gives a user and a password that last for minutes.
import Type from 'typebox';

const KEY_ID = /^[A-Z0-9]{16,128}$/;
/** Secrets travel in headers, and signatures are made of them. */
const PRINTABLE = /^[\u0021-\u007e]+$/;
const ROLE = /^arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/-]{1,512}$/;
/** The region becomes a part of a host name. */
const REGION = /^[a-z]{2}(?:-[a-z]{2,10}){1,3}-\d$/;
const S3_URI = /^s3:\/\/[a-z0-9][a-z0-9.-]{1,61}[a-z0-9](?:\/[\w.=/-]{0,512})?$/;
const CLUSTER_ROLE = /^(?:default|arn:aws[a-z-]*:iam::\d{12}:role\/[\w+=,.@/-]{1,512})$/;
const IDENTIFIER = /^[a-z][a-z0-9-]{0,63}$/;
const EXTERNAL_ID = /^[\w+=,.@:/-]{2,1224}$/;

function matching(pattern: RegExp, maxLength: number, message: string) {
  return Type.Optional(
    Type.Refine(
      Type.String({ minLength: 1, maxLength }),
      (text) => pattern.test(text),
      () => message,
    ),
  );
}

export const awsFields = {
  /** Access key of the IAM user that asks for credentials of the database. */
  aws_access_key_id: matching(KEY_ID, 128, 'must be an access key id such as AKIAIOSFODNN7EXAMPLE'),
  aws_secret_access_key: matching(PRINTABLE, 512, 'must contain only printable ASCII without spaces'),
  /** Token of a temporary access key. */
  aws_session_token: matching(PRINTABLE, 8192, 'must contain only printable ASCII without spaces'),
  /** Role that is assumed with the access key, or with the identity of the daemon where the operator allows that. */
  aws_assume_role_arn: matching(ROLE, 600, 'must be the ARN of a role such as arn:aws:iam::123456789012:role/name'),
  aws_assume_role_external_id: matching(
    EXTERNAL_ID,
    1224,
    'must be an external id of 2 to 1224 letters, digits or +=,.@:/-',
  ),
  /** Taken from the host where it is absent. */
  aws_region: matching(REGION, 40, 'must be a region such as eu-west-1'),
  /** Identifier of a provisioned cluster. Taken from the host where it is absent. */
  cluster_identifier: matching(
    IDENTIFIER,
    63,
    'must be the identifier of a cluster: lower-case letters, digits and hyphens',
  ),
  /** Workgroup of Redshift Serverless. Taken from the host where it is absent. */
  workgroup_name: matching(IDENTIFIER, 64, 'must be the name of a workgroup: lower-case letters, digits and hyphens'),
};

/** Fields of the bucket that large results are unloaded to. */
export const s3Fields = {
  s3_uri: matching(
    S3_URI,
    600,
    'must be a bucket and a folder such as s3://shop-penstock/unload, of letters, digits and _.=/-',
  ),
  /** Role of the cluster, not of Penstock. */
  s3_iam_role: matching(
    CLUSTER_ROLE,
    600,
    'must be the ARN of a role of the cluster such as arn:aws:iam::123456789012:role/name, or default',
  ),
  /** The region of the cluster where it is absent. */
  s3_region: matching(REGION, 40, 'must be a region such as eu-west-1'),
};

/** Returns what is wrong with the fields of the bucket. */
export function s3Complaint({ s3_uri, s3_iam_role, s3_region }: Given): string | undefined {
  if (s3_uri === undefined) {
    if (s3_iam_role !== undefined) return 'has s3_iam_role without s3_uri';
    return s3_region === undefined ? undefined : 'has s3_region without s3_uri';
  }
  return s3_iam_role === undefined
    ? 'has s3_uri without s3_iam_role, the role that the cluster writes there by'
    : undefined;
}

const AWS_FIELDS = Object.keys(awsFields);
/** Fields that a connection with a password may have for its bucket. */
const S3_ACCESS = AWS_FIELDS.filter((name) => name !== 'cluster_identifier' && name !== 'workgroup_name');

type Given = Readonly<Record<string, unknown>>;

/** Tells whether a connection signs in through AWS: it has no password, and a field of AWS. */
export function signsInByIam(config: Given): boolean {
  return config.password === undefined && AWS_FIELDS.some((field) => config[field] !== undefined);
}

/** Returns what is wrong with the ways to sign in: user and password, or AWS. Undefined where there is one whole way. */
export function signInComplaint(config: Given): string | undefined {
  const ofSignIn = isForBucket(config) ? AWS_FIELDS.filter((name) => !S3_ACCESS.includes(name)) : AWS_FIELDS;
  const ofAws = ofSignIn.filter((field) => config[field] !== undefined);
  if (ofAws.length === 0) {
    const missing = ['user', 'password'].filter((field) => config[field] === undefined);
    return missing.length === 0
      ? awsComplaint(config)
      : `lacks ${missing.join(' and ')}; or give fields of AWS instead of a password`;
  }
  if (config.password !== undefined)
    return `has a password and fields of AWS (${ofAws.join(', ')}); use only one way to sign in`;
  return awsComplaint(config);
}

/** Tells whether the fields of AWS lead to the bucket alone: the database has a password. */
function isForBucket(config: Given): boolean {
  return config.password !== undefined && config.s3_uri !== undefined;
}

/** Fields of AWS that need another one beside them. */
const NEEDS: readonly (readonly [string, string])[] = [
  ['aws_access_key_id', 'aws_secret_access_key'],
  ['aws_secret_access_key', 'aws_access_key_id'],
  ['aws_session_token', 'aws_access_key_id'],
  ['aws_assume_role_external_id', 'aws_assume_role_arn'],
];

function awsComplaint(config: Given): string | undefined {
  const [given, missing] =
    NEEDS.find(([field, other]) => config[field] !== undefined && config[other] === undefined) ?? [];
  if (given !== undefined) return `has ${given} without ${missing}`;
  if (config.cluster_identifier === undefined || config.workgroup_name === undefined) return undefined;
  return 'has cluster_identifier and workgroup_name; a connection leads to one of the two';
}
