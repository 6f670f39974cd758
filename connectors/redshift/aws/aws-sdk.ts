// The modules of the SDK of AWS that the connector uses. `session.ts` loads them; their types cost nothing.
import type * as redshift from '@aws-sdk/client-redshift';
import type * as serverless from '@aws-sdk/client-redshift-serverless';
import type * as s3 from '@aws-sdk/client-s3';
import type * as sts from '@aws-sdk/client-sts';

export interface Aws {
  readonly redshift: typeof redshift;
  readonly serverless: typeof serverless;
  readonly sts: typeof sts;
}

/** The module of S3, for connections that unload large results. */
export type S3 = typeof s3;

/** Configuration that all clients share. */
export type ClientConfig = redshift.RedshiftClientConfig &
  serverless.RedshiftServerlessClientConfig &
  s3.S3ClientConfig &
  sts.STSClientConfig;

export type AccessKey = NonNullable<Exclude<ClientConfig['credentials'], (...never: never[]) => unknown>>;
