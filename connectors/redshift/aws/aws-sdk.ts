// The modules of the SDK of AWS that the connector uses. `session.ts` loads them; their types cost nothing.
import type * as redshift from '@aws-sdk/client-redshift';
import type * as serverless from '@aws-sdk/client-redshift-serverless';
import type * as sts from '@aws-sdk/client-sts';

export interface Aws {
  readonly redshift: typeof redshift;
  readonly serverless: typeof serverless;
  readonly sts: typeof sts;
}

/** Configuration that all clients share. */
export type ClientConfig = redshift.RedshiftClientConfig &
  serverless.RedshiftServerlessClientConfig &
  sts.STSClientConfig;

export type AccessKey = NonNullable<Exclude<ClientConfig['credentials'], (...never: never[]) => unknown>>;
