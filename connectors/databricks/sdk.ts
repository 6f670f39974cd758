// Types of the used part of the SDK; `session.ts` loads it.
import type { DBSQLClient, thrift } from '@databricks/sql';
import type * as Arrow from 'apache-arrow';

export interface Sdk {
  readonly DBSQLClient: typeof DBSQLClient;
  readonly wire: (typeof thrift)['TCLIService_types'];
  readonly arrow: typeof Arrow;
}

/**
 * The SDK's own client of the Thrift service, where everything is as the server sent it.
 * The layer above gives rows as objects by column name, so two columns of the same name collapse. It also gives timestamps in
 * milliseconds, and negative decimals wrong.
 */
export type Driver = Awaited<ReturnType<DBSQLClient['getDriver']>>;

type Answer<Call extends keyof Driver> = Awaited<ReturnType<Driver[Call]>>;
type Question<Call extends keyof Driver> = Parameters<Driver[Call]>[0];

export type SessionHandle = NonNullable<Answer<'openSession'>['sessionHandle']>;
export type OperationHandle = NonNullable<Answer<'executeStatement'>['operationHandle']>;
export type Execution = Question<'executeStatement'>;
export type Metadata = Answer<'getResultSetMetadata'>;
export type RowSet = NonNullable<Answer<'fetchResults'>['results']>;
export type ResultLink = NonNullable<RowSet['resultLinks']>[number];
export type WireColumn = NonNullable<RowSet['columns']>[number];
export type WireStatus = Metadata['status'];
export type Int64 = Question<'fetchResults'>['maxRows'];

/** Casts a number for the protocol's writer, which takes numbers despite its types. */
export function int64(value: number): Int64 {
  return value as unknown as Int64;
}
