import type { Duplex } from 'node:stream';
import type pg from 'pg';

export type Pg = typeof pg;

declare module 'pg' {
  /** Fields of the driver that its own declarations leave out. */
  interface Client {
    readonly connectionParameters: { options?: string };
    readonly processID: number;
    readonly secretKey: number;
  }
}

/** The protocol as the driver speaks it; the driver's own declarations are outdated. */
export interface Wire {
  readonly stream: Duplex & { readonly destroyed: boolean };
  /** Sends one message of the simple protocol. */
  query(text: string): void;
  parse(message: { readonly name?: string; readonly text: string; readonly types?: readonly number[] }): void;
  bind(message: { readonly portal?: string; readonly values: readonly (string | null)[] }): void;
  describe(message: { readonly type: 'S' | 'P'; readonly name: string }): void;
  execute(message: { readonly portal?: string; readonly rows?: number }): void;
  close(message: { readonly type: 'S' | 'P'; readonly name: string }): void;
  sync(): void;
  on(event: string, listener: (message: never) => void): void;
  off(event: string, listener: (message: never) => void): void;
  emit(event: 'error', failure: unknown): void;
  attachListeners(stream: Duplex): void;
}

/** One column of an answer. */
export interface Field {
  readonly name: string;
  readonly dataTypeID: number;
  readonly dataTypeModifier: number;
}

/** A row of texts as the server wrote them. */
export type RawRow = (string | null)[];

/**
 * Callbacks of the driver while our query is the active one.
 * After `handleError` none is called, whatever the protocol still answers: so `handleError` must settle.
 */
export interface WireQuery {
  submit(wire: Wire): void;
  handleRowDescription(message: { readonly fields: readonly Field[] }): void;
  handleDataRow(message: { readonly fields: RawRow; readonly length: number }): void;
  handleCommandComplete(message: { readonly text: string }): void;
  handlePortalSuspended(): void;
  handleEmptyQuery(): void;
  /** Handles the server's request for the rows of a COPY. */
  handleCopyInResponse?(wire: Wire): void;
  handleReadyForQuery(): void;
  handleError(failure: Error, wire: Wire): void;
}
