// What a connector is. Terminology: a *connector* knows one product; a *connection* is a customer's configuration for it;
// a *session* is one open connection; a *cell* is one exact value of one row; a *chunk* is some positional rows.
import type { TSchema } from 'typebox';
import type { WarehouseEndpoints } from '../config.ts';
import type { AppError, Issue, Micros, Worded } from '../kernel/index.ts';
import type { Cell, Column } from './cells.ts';
import type { Dialect } from './dialect.ts';
import type { WriteBack } from './write-back.ts';

/** The provider words of version 2, and our own DuckDB (D-001, D-002). */
export const PROVIDERS = ['Alpha', 'Beta', 'Gamma', 'Delta', 'DuckDB'] as const;
export type Provider = (typeof PROVIDERS)[number];

/**
 * A bound parameter. It is always text or an integer, never a JavaScript Date, which would lose microseconds (D-081).
 */
export type BoundValue = string | bigint;

export interface Statement {
  readonly sql: string;
  readonly parameters: Readonly<Record<string, BoundValue>>;
}

export interface ReadRequest {
  readonly statement: Statement;
  /** A chunk holds at most so many rows, and ends early when it holds about `chunkBytes`. */
  readonly chunkRows: number;
  readonly chunkBytes: number;
  /** What `describe` said of the model: rows with columns of other names, types or places are MODEL_CHANGED. */
  readonly described?: readonly Column[];
  /** Goes to the warehouse's query log where it has tags: pipeline and run. */
  readonly label?: Readonly<Record<string, string>>;
  /**
   * Stands for one reading of one run, also in other installations: a later attempt of it has the same key, and a warehouse
   * that keeps results may answer it with the one that this statement had under this key. Without a key nothing is ever
   * answered with an earlier result. 32 hexadecimal digits.
   */
  readonly snapshotKey?: string;
}

/** Columns are known even for zero rows; chunks are pulled, and leaving the loop early frees what they hold. */
export interface ReadResult {
  readonly columns: readonly Column[];
  readonly chunks: AsyncIterable<readonly (readonly Cell[])[]>;
}

export type StageName = 'reach' | 'tls' | 'sign_in' | 'use_objects' | 'read' | 'write';
export interface ProbeStage extends Worded {
  readonly name: StageName;
  readonly status: 'passed' | 'failed' | 'skipped';
}

/** What the warehouse expects a statement to cost, before it runs; figures of two units say nothing about each other. */
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
  /** Columns of a statement without running it. */
  describe(statement: Statement, signal: AbortSignal): Promise<readonly Column[]>;
  read(request: ReadRequest, signal: AbortSignal): Promise<ReadResult>;
  /** The cost of a statement without running it; absent where the warehouse knows none. */
  estimate?(statement: Statement, signal: AbortSignal): Promise<CostEstimate>;
  /** In place of the dialect's, where the connector meets servers of several products. */
  exactText?(signal: AbortSignal): Promise<Dialect['exactText']>;
  /** The warehouse's own time. */
  clock(signal: AbortSignal): Promise<Micros>;
  /** There exactly where the connector can (`capabilities.writeBack`) and the session was opened with `environment.writes`. */
  readonly writeBack?: WriteBack;
}

/** Facts about a product that the engine branches on. */
export interface Capabilities {
  /** A run can read one fixed snapshot. */
  readonly snapshot: boolean;
  /** Sessions that were opened with `environment.writes` have a `writeBack`. */
  readonly writeBack: boolean;
  /** Staging of a write-back is a named table, which a kill leaves behind; default: it ends with its session. */
  readonly keepsStaging?: boolean;
}

/** Rules for the addresses that connectors with a network may connect to (D-077). */
export interface NetworkRules {
  /** Names (`*.example.com`: everything below), addresses and networks; empty: anywhere. */
  readonly allowedHosts: readonly string[];
  /** Never a warehouse, whatever name leads there: the store and the daemon itself. */
  readonly refused: readonly { readonly host: string; readonly port: number }[];
}

/** What an operator, never a caller of the API, decides for the connectors. */
export interface ConnectorEnvironment {
  /** The workspace's own folder, for providers that read files: `<home>/warehouses/<workspace id>`. */
  readonly folder: string;
  /** False: the operator lets no embedded warehouse work in the daemon's own process. */
  readonly allowsEmbedded: boolean;
  readonly memoryMb: number;
  readonly threads: number;
  /** What an embedded warehouse may put on disk beside its memory. */
  readonly spillMb: number;
  readonly network: NetworkRules;
  /** How long a warehouse may work on one statement, or on one part of its rows. */
  readonly statementTimeoutMs: number;
  /** The longest message of a server, such as one row, where the connector reads the protocol itself. */
  readonly messageBytes: number;
  /** Servers in place of the vendors' own; `network` holds for them too. */
  readonly endpoints: WarehouseEndpoints;
  /** Set by the engine for the run of a write-back pipeline; otherwise whatever is opened only reads. */
  readonly writes?: true;
}

export type ConnectionConfig = Readonly<Record<string, unknown>>;

export interface ConnectorSpec {
  readonly provider: Provider;
  /** The product's own name. The words of the wire are in `provider-words.ts`. */
  readonly product: string;
  readonly configSchema: TSchema;
  /** Fields of `config` that are encrypted at rest and answered masked. */
  readonly secretFields: readonly string[];
  /**
   * Fields of `config` that say which database it is, so that a table is the same as long as they are; default: all that
   * are not secret.
   */
  readonly placeFields?: readonly string[];
  /** Fields that are saved, and answered, with this value where the caller gives none. */
  readonly configDefaults?: ConnectionConfig;
  readonly dialect: Dialect;
  readonly capabilities: Capabilities;
  /** The SDK is loaded here and not before. `config` has passed `configSchema` and holds revealed secrets. */
  open(config: ConnectionConfig, environment: ConnectorEnvironment, signal: AbortSignal): Promise<Session>;
  /** Complaints about where the configuration leads, with paths below `config`, before it is saved; absent: nowhere. */
  checkAddress?(config: ConnectionConfig, environment: ConnectorEnvironment): Promise<readonly Issue[]>;
  /** Never throws, never leaks a secret; an unknown error is WAREHOUSE_UNKNOWN with its cause. */
  classify(error: unknown): AppError;
}

/** What `defineConnector` returns: the spec with its guarantees held (configuration checked before a socket opens, only AppError leaves, the iterator's `return` always runs). */
export interface Connector extends ConnectorSpec {
  /** Complaints about a configuration, with paths below `config`. */
  checkConfig(config: ConnectionConfig): readonly { readonly path: string; readonly message: string }[];
}

/** The connectors of this build. A connection of a provider without one can be saved and is faulted (D-076). */
export type Fleet = Readonly<Partial<Record<Provider, Connector>>>;
