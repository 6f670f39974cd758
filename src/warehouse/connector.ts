// The contract of a connector. Terminology: a *connector* knows one product; a *connection* is a customer's configuration
// for it; a *session* is one open connection; a *cell* is one exact value of one row; a *chunk* is some positional rows.
import type { Static, TSchema } from 'typebox';
import type { WarehouseEndpoints } from '../config.ts';
import type { AppError, Issue, Micros, ProxyOf, Worded } from '../kernel/index.ts';
import type { Cell, Column } from './cells.ts';
import type { Dialect } from './dialect.ts';
import type { ProviderFacts } from './provider-facts.ts';
import type { Range } from './wrap-model.ts';
import type { WriteBack } from './write-back.ts';

/**
 * A bound parameter. It is always text or an integer, never a JavaScript Date, which would lose microseconds (D-081).
 */
export type BoundValue = string | bigint;

export interface Statement {
  readonly sql: string;
  readonly parameters: Readonly<Record<string, BoundValue>>;
}

/** A model to describe. */
export interface ModelStatement extends Statement {
  /** Column that runs filter the model by. A warehouse may need a filter on it to describe the model. */
  readonly iterator?: string | undefined;
}

export interface ReadRequest {
  readonly statement: Statement;
  /** Most rows of a chunk. A chunk ends early when it holds about `chunkBytes`. */
  readonly chunkRows: number;
  readonly chunkBytes: number;
  /** Columns that `describe` returned for the model. Rows with other names, types or another order are MODEL_CHANGED. */
  readonly described?: readonly Column[];
  /** Pipeline and run, for the warehouse's query log where it has tags. */
  readonly label?: Readonly<Record<string, string>>;
  /**
   * Identifies one reading of one run, also across installations; 32 hexadecimal digits. A later attempt has the same key.
   * A warehouse that caches results may answer with the result of this statement under this key. Without a key no cached result
   * is ever used.
   */
  readonly snapshotKey?: string;
}

/**
 * The columns and rows of a model. Columns are known even for zero rows. Chunks are pulled; leaving the loop early frees what
 * they hold.
 */
export interface ReadResult {
  readonly columns: readonly Column[];
  readonly chunks: AsyncIterable<readonly (readonly Cell[])[]>;
}

export type StageName = 'reach' | 'tls' | 'sign_in' | 'use_objects' | 'read' | 'write';
export interface ProbeStage extends Worded {
  readonly name: StageName;
  readonly status: 'passed' | 'failed' | 'skipped';
}

/** The cost that the warehouse expects of a statement before it runs. Figures in different units cannot be compared. */
export interface CostEstimate {
  /** `bytes`: the bytes it will read; `planner_cost`: the planner's own unit, without a dimension. */
  readonly unit: 'bytes' | 'planner_cost';
  readonly amount: number;
  /** Rows that the warehouse expects to answer, where it says so. */
  readonly rows?: number;
}

export interface Session extends AsyncDisposable {
  /** Stages in order; the first failure names what is missing, later ones are `skipped`. Never throws for a refusal. */
  probe(signal: AbortSignal): Promise<readonly ProbeStage[]>;
  /** Returns the columns of a statement without running it. */
  describe(statement: ModelStatement, signal: AbortSignal): Promise<readonly Column[]>;
  /**
   * Returns the range that a preview of a described model reads, where its tables refuse statements without one. Absent: no table
   * of the warehouse does.
   */
  previewRange?(sql: string): Range | undefined;
  read(request: ReadRequest, signal: AbortSignal): Promise<ReadResult>;
  /** Returns the cost of a statement without running it. Absent where the warehouse has no estimate. */
  estimate?(statement: Statement, signal: AbortSignal): Promise<CostEstimate>;
  /** Returns what replaces the dialect's `exactText`. Present where the connector meets servers of several products. */
  exactText?(signal: AbortSignal): Promise<Dialect['exactText']>;
  /** Returns the warehouse's own time. */
  clock(signal: AbortSignal): Promise<Micros>;
  /** Present only where the connector can write back (`capabilities.writeBack`) and `environment.writes` was set at opening. */
  readonly writeBack?: WriteBack;
}

/** Facts about a product that the engine branches on. */
export interface Capabilities {
  /** A run can read one fixed snapshot. */
  readonly snapshot: boolean;
  /** Sessions that were opened with `environment.writes` have a `writeBack`. */
  readonly writeBack: boolean;
  /** Staging of a write-back is a named table, which stays behind after a kill. Default: staging ends with its session. */
  readonly keepsStaging?: boolean;
}

/** Rules for the addresses that connectors with a network may connect to (D-077). */
export interface NetworkRules {
  /** Names (`*.example.com`: everything below), addresses and networks. Empty: no restriction. */
  readonly allowedHosts: readonly string[];
  /** The store and the daemon itself, which are never warehouses, whatever name leads there. */
  readonly refused: readonly { readonly host: string; readonly port: number }[];
  /** Proxy on the way to a host, of the operator or of the connection. Absent: all connections are direct. */
  readonly proxyOf?: ProxyOf;
}

/** Settings of the operator for connectors. No caller of the API can change them. */
export interface ConnectorEnvironment {
  /** The workspace's own folder, for providers that read files: `<home>/warehouses/<workspace id>`. */
  readonly folder: string;
  /** An embedded warehouse may work in the daemon's own process. */
  readonly allowsEmbedded: boolean;
  readonly memoryMb: number;
  readonly threads: number;
  /** Most disk space of an embedded warehouse beside its memory. */
  readonly spillMb: number;
  readonly network: NetworkRules;
  /** Longest time that a warehouse may take for one statement, or for one part of its rows. */
  readonly statementTimeoutMs: number;
  /** Longest message of a server, such as one row, where the connector reads the protocol itself. */
  readonly messageBytes: number;
  /** Connections of this workspace may sign in with the daemon's own cloud identity. */
  readonly allowsCloudIdentity: boolean;
  /** Defaults of BigQuery connections; 0 bytes: no limit. */
  readonly bigquery: { readonly maxBytesBilled: number; readonly location: string | undefined };
  /** Servers in place of the vendors' own. `network` applies to them too. */
  readonly endpoints: WarehouseEndpoints;
  /** Set by the engine for the run of a write-back pipeline. All other sessions only read. */
  readonly writes?: true;
}

export type ConnectionConfig = Readonly<Record<string, unknown>>;

export interface ConnectorSpec<Schema extends TSchema = TSchema>
  extends Pick<ProviderFacts, 'product' | 'secretFields' | 'placeFields' | 'configDefaults'> {
  /** Word of the API for the product. */
  readonly provider: string;
  readonly configSchema: Schema;
  readonly dialect: Dialect;
  readonly capabilities: Capabilities;
  /** Loads the SDK, never before, and opens a session. `config` has passed `configSchema` and holds revealed secrets. */
  open(config: Static<Schema>, environment: ConnectorEnvironment, signal: AbortSignal): Promise<Session>;
  /**
   * Returns complaints about the addresses in the configuration, with paths below `config`; called before it is saved. Absent:
   * it names no address.
   */
  checkAddress?(config: Static<Schema>, environment: ConnectorEnvironment): Promise<readonly Issue[]>;
  /**
   * Returns the AppError for an error of the driver; an unknown one is WAREHOUSE_UNKNOWN with its cause. Never throws, never
   * leaks a secret.
   */
  classify(error: unknown): AppError;
}

/**
 * A spec with the guarantees of `defineConnector`: configuration checked before a socket opens, only AppError is thrown, and
 * the iterator's `return` always runs.
 */
export interface Connector extends Omit<ConnectorSpec, 'open' | 'checkAddress'> {
  /** Returns complaints about a configuration, with paths below `config`. */
  checkConfig(config: ConnectionConfig): readonly Issue[];
  /** Returns complaints about the addresses of a configuration that `checkConfig` accepts. */
  checkAddress(config: ConnectionConfig, environment: ConnectorEnvironment): Promise<readonly Issue[]>;
  open(config: ConnectionConfig, environment: ConnectorEnvironment, signal: AbortSignal): Promise<Session>;
}

/** The connectors of this build. A connection of a provider without one can be saved and is faulted (D-076). */
export type Fleet = Readonly<Partial<Record<string, Connector>>>;
