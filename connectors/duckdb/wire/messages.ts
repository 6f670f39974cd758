// Calls of the daemon to a child, and their answers. JSON has no bigint, so whole numbers travel as texts.

import type { ErrorCode, Issue } from '../../../src/kernel/index.ts';
import type { Column, Statement } from '../../../src/warehouse/index.ts';

/** A database to open, with its limits. */
export interface Opening {
  /** Real path of the file, or `:memory:`. */
  readonly path: string;
  /** Real path of the folder that SQL may read. */
  readonly folder: string;
  readonly memoryMb: number;
  readonly threads: number;
  readonly spillMb: number;
  /** Milliseconds that a statement, or the fetch of its next rows, may take. */
  readonly timeoutMs: number;
  readonly writes: boolean;
}

export type SentParameters = Readonly<Record<string, string | { readonly integer: string }>>;

export interface SentStatement {
  readonly sql: string;
  readonly parameters: SentParameters;
}

/** Calls of a child. `stream` and `transaction` are numbers that the daemon chooses. */
export interface Calls {
  open: { take: Opening; answer: null };
  describe: { take: { readonly statement: SentStatement }; answer: readonly Column[] };
  /** Answers the rows as texts. */
  ask: { take: { readonly sql: string }; answer: Texts };
  read: { take: { readonly stream: number; readonly statement: SentStatement }; answer: Reading };
  /** Writes the next rows into a slot of the shared file; null after the last. */
  next: { take: NextPiece; answer: Piece | null };
  free: { take: { readonly stream: number }; answer: null };
  begin: { take: { readonly transaction: number }; answer: null };
  /** Answers the number of rows that a statement changed. */
  change: { take: { readonly transaction: number; readonly sql: string }; answer: number };
  askWithin: { take: { readonly transaction: number; readonly sql: string }; answer: Texts };
  append: { take: { readonly transaction: number; readonly table: string; readonly rows: Texts }; answer: null };
  /** Commits, or rolls back. */
  end: { take: { readonly transaction: number; readonly commit: boolean }; answer: null };
  /** Closes the database. Answers the child's resident memory in bytes. */
  close: { take: Readonly<Record<never, never>>; answer: number };
}

export type Texts = readonly (readonly (string | null)[])[];

export interface Reading {
  readonly columns: readonly Column[];
  readonly types: readonly TypeTree[];
}

export interface NextPiece {
  readonly stream: number;
  readonly slot: number;
  /** Longest piece, for a row of more is refused. */
  readonly mostBytes: number;
}

/** Some rows, whose vectors lie in a slot one after the other. */
export interface Piece {
  readonly rows: number;
  readonly bytes: number;
  readonly vectors: readonly VectorShape[];
}

/** A type of DuckDB by its name, with what the reader of its vectors has to know. */
export interface TypeTree {
  readonly id: string;
  /** DECIMAL. */
  readonly width?: number;
  readonly scale?: number;
  /** ENUM. */
  readonly values?: readonly string[];
  /** ARRAY. */
  readonly size?: number;
  /** Item of a LIST or ARRAY; key and value of a MAP; fields of a STRUCT; members of a UNION. */
  readonly parts?: readonly { readonly name: string; readonly type: TypeTree }[];
}

/** Lengths in bytes of the parts of a vector, in the order in which they follow. */
export interface VectorShape {
  readonly rows: number;
  readonly data: number;
  /** Bit mask of the rows that are not NULL; 0 where none is. */
  readonly valid: number;
  /** Strings of more than 12 bytes, one after the other; `data` holds their places. */
  readonly heap: number;
  readonly children: readonly VectorShape[];
}

export interface CallMessage {
  readonly id: number;
  readonly call: keyof Calls;
  readonly take: unknown;
}

/** Interrupts the work of a call, which then answers with its failure. */
export interface CancelMessage {
  readonly cancel: number;
}

export interface Failure {
  readonly code: ErrorCode;
  readonly message: string;
  readonly issues: readonly Issue[];
}

export type AnswerMessage =
  | { readonly id: number; readonly answer: unknown }
  | { readonly id: number; readonly failure: Failure };

/** Returns a statement in the form in which it is sent. */
export function sendable({ sql, parameters }: Statement): SentStatement {
  const sent = Object.entries(parameters).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : { integer: String(value) },
  ]);
  return { sql, parameters: Object.fromEntries(sent) };
}
