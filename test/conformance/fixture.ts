// The facts about a product that the sentences of the contract need. The sentences are written once, against the
// contract; everything that differs between products stands in its fixture.
import type { ErrorCode } from '../../src/kernel/index.ts';
import type { Cell, ColumnType, ConnectionConfig, Connector, ConnectorEnvironment } from '../../src/warehouse/index.ts';

import type { ServerName } from '../support/warehouses/local-servers.ts';

/** A server, file or emulator with a customer's tables in it. */
export interface Warehouse extends AsyncDisposable {
  readonly config: ConnectionConfig;
  readonly environment: ConnectorEnvironment;
  /** Statements of the customer, past the connector: CREATE, INSERT. */
  seed(statements: readonly string[]): Promise<void>;
  /** Rows into a table that `seed` made, as texts by column: where thousands of rows are too much for INSERT. */
  readonly fill?: (table: string, rows: readonly Readonly<Record<string, string | null>>[]) => Promise<void>;
  /** Connections that the warehouse has open for us; 0 when nothing of ours touches it. */
  connections(): Promise<number>;
}

/** One value as the product writes it and as the contract gives it. */
export interface ExactValue {
  readonly what: string;
  readonly sql: string;
  readonly type: ColumnType;
  readonly cell: Cell;
}

export interface KnownError {
  readonly what: string;
  readonly sql: string;
  readonly code: ErrorCode;
  /** What the message must name. */
  readonly names?: string;
}

/** A column of an iterator type, and how the product writes an instant of it. */
export interface IteratorColumn {
  /** For CREATE TABLE. */
  readonly ddl: string;
  /** A literal for text such as `2024-01-01T00:00:00.000001`, read as UTC, or for a whole number. */
  literal(value: string): string;
}

/** What sentence 8 must know: its tables are made by `seed`, and read and written through the contract. */
export interface WriteBackFixture {
  /** For CREATE TABLE. `narrow` is numeric and cannot hold 1,000,000,000. */
  readonly types: Readonly<Record<'text' | 'integer' | 'mpid' | 'narrow', string>>;
  /** A type of text that takes letters of both cases for equal, once these statements have run; absent: the server has none. */
  readonly folding?: { readonly type: string; readonly needs: readonly string[] };
  /** Rows of the test of many, where the server compares each with each. Default 2,000. */
  readonly many?: number;
  /** Rows of the soak, for the same reason. Default 100,000. */
  readonly most?: number;
  /** The session takes the keys of a run in portions, and updates once. */
  readonly portions?: true;
  /** A table that `seed` made under that name, as a model names it. */
  table(name: string): string;
  /** A text as the product writes it, quotes and backslashes included. */
  literal(text: string): string;
  /** A whole number as text. */
  textOf(expression: string): string;
  /** Names of staging tables (`penstock_stg…`) that the warehouse has, wherever they lie. */
  leftovers(warehouse: Warehouse): Promise<readonly string[]>;
  /** Makes a table of that name where staging would lie; absent where staging ends with its session. */
  leaveBehind?(name: string): string;
}

/** `vendor`: an account at the vendor. `real`: the product, whole. `wire server`: one of ours that speaks its protocol. `SDK only`: no server had a part in it. */
export type Proof = 'vendor' | 'real' | 'emulator' | 'wire server' | 'SDK only';

/** Facts that every fixture must state; a sentence that cannot hold says why. */
export interface Fixture {
  readonly connector: Connector;
  /** The local server that it is tried on, `test/support/warehouses`; absent: it brings all it needs. */
  readonly server?: ServerName;
  /** What its sentences are proven by, and those of them that something else proves, by their numbers. */
  readonly provenBy: Proof;
  readonly provenElse?: Readonly<Record<number, Proof>>;
  /** Packages that may not be loaded before `open`. */
  readonly sdk: readonly string[];
  start(): Promise<Warehouse>;
  /** How the warehouse is reached through another port of this machine; absent where there is no socket. */
  through?(warehouse: Warehouse, port: number): Partial<Pick<Warehouse, 'config' | 'environment'>>;
  /** The port that `through` leads past. */
  portOf?(warehouse: Warehouse): number;
  readonly sql: {
    /** FROM item with a column `n`, 0 to rows − 1. */
    series(rows: number): string;
    /** Rows of a series that nobody reads to its end: fewer where the server makes all of them first. Default 50 million. */
    readonly endless?: number;
    /** The name of a column that SQL writes without quotes, as the product answers it; absent: as it is written. */
    fold?(name: string): string;
    /** Rows come, then a value cannot be computed. `n` as above; fails at row `at`. */
    failsAt(rows: number, at: number): string;
    /** A part of the message of that failure. Default: the value, `no number`. */
    readonly failure?: string;
    /** Takes minutes and gives no row before its end. */
    slow: string;
    /** A text of that many characters. */
    longText(characters: number): string;
    /** Names of a table and of its column that need quotes, where the product takes no `Odd "table` with a `Key 1`. */
    readonly oddNames?: { readonly table: string; readonly column: string };
    /** Names of columns that the product takes in no quotes. */
    readonly refusedNames?: readonly string[];
    /** Longest name of a column. */
    longestName: number;
    /** `SELECT` of the parameter `:value` as text, by the dialect's placeholder. */
    echo(placeholder: string): string;
    /** Queries that set something of their session to 1, and read it; absent where no query can. */
    readonly ownState?: { readonly set: string; readonly read: string };
  };
  readonly exact: readonly ExactValue[];
  readonly errors: readonly KnownError[];
  readonly iterators: {
    readonly timestamp_tz: IteratorColumn;
    readonly timestamp_ntz: IteratorColumn;
    readonly date: IteratorColumn;
    readonly timestamp_unixtime_ms: IteratorColumn;
    readonly timestamp_unixtime_s: IteratorColumn;
  };
  /** There where `capabilities.writeBack` is. */
  readonly writeBack?: WriteBackFixture;
  /** Parts of a sentence that this product cannot show, each with its reason; the list shrinks. */
  readonly waivers: Readonly<Partial<Record<Waivable, string>>>;
}

export type Waivable =
  | 'write-back'
  | 'dropped socket'
  | 'own session state'
  | 'case folding of names'
  | 'counted connections';
