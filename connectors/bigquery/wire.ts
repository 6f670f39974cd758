// Part of the REST API's answers that is read; every number is a text.

export interface Field {
  readonly name: string;
  /** `INTEGER` as well as `INT64`: the API writes the older names. */
  readonly type: string;
  readonly mode?: string;
  readonly fields?: readonly Field[];
  readonly precision?: string;
  readonly scale?: string;
  readonly maxLength?: string;
  /** `12` for picoseconds; absent for microseconds. */
  readonly timestampPrecision?: string;
  readonly rangeElementType?: { readonly type: string };
}

export interface Schema {
  readonly fields?: readonly Field[];
}

export interface JobReference {
  readonly projectId: string;
  readonly jobId: string;
  readonly location?: string;
}

export interface TableReference {
  readonly projectId: string;
  readonly datasetId: string;
  readonly tableId: string;
}

/** Error as jobs, tables and answers report it. */
export interface ErrorProto {
  readonly reason?: string;
  readonly message?: string;
  readonly location?: string;
}

export interface WireJob {
  readonly jobReference?: JobReference;
  readonly configuration?: { readonly query?: { readonly query?: string; readonly destinationTable?: TableReference } };
  readonly status?: { readonly state?: string; readonly errorResult?: ErrorProto };
  readonly statistics?: {
    /** Milliseconds since 1970. */
    readonly endTime?: string;
    readonly totalBytesProcessed?: string;
    readonly query?: {
      readonly schema?: Schema;
      readonly statementType?: string;
      readonly totalBytesProcessed?: string;
      readonly numDmlAffectedRows?: string;
    };
  };
}

/** A value as the REST API writes it: a text, also for `true` and `false`, a list of values, or a record of values. */
export type WireValue = string | null | readonly { readonly v: WireValue }[] | WireRow;
export interface WireRow {
  readonly f: readonly { readonly v: WireValue }[];
}

export interface WirePage {
  readonly jobComplete?: boolean;
  readonly schema?: Schema;
  readonly totalRows?: string;
  readonly pageToken?: string;
  readonly rows?: readonly WireRow[];
  /** Number of changed rows, for a statement that writes. */
  readonly numDmlAffectedRows?: string;
}
