import type * as Google from '@google-cloud/bigquery';
import type * as Storage from '@google-cloud/bigquery-storage';
import type * as Grpc from '@grpc/grpc-js';
import type * as Arrow from 'apache-arrow';
import type * as Auth from 'google-auth-library';

export interface Sdk {
  readonly google: typeof Google;
  readonly auth: typeof Auth;
  /** Loads the parts for large results, which take 50 MB more memory; called with the first such result. */
  loadStorage(): Promise<StorageSdk>;
}

export interface StorageSdk {
  readonly storage: typeof Storage;
  readonly grpc: typeof Grpc;
  readonly arrow: typeof Arrow;
}
