import type { Duplex } from 'node:stream';
import type pg from 'pg';

export type Pg = typeof pg;

/** The protocol as the driver speaks it; its own declarations are of an older one. */
export interface Wire {
  readonly stream: Duplex & { readonly destroyed: boolean };
  /** One message of the simple protocol. */
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

/** Texts of the server, as it wrote them. */
export type RawRow = (string | null)[];

/**
 * What the driver calls while our query is the active one. After `handleError` it calls nothing more of it, whatever the
 * protocol still answers: so `handleError` must settle.
 */
export interface WireQuery {
  submit(wire: Wire): void;
  handleRowDescription(message: { readonly fields: readonly Field[] }): void;
  handleDataRow(message: { readonly fields: RawRow; readonly length: number }): void;
  handleCommandComplete(message: { readonly text: string }): void;
  handlePortalSuspended(): void;
  handleEmptyQuery(): void;
  /** The server waits for the rows of a COPY. */
  handleCopyInResponse?(wire: Wire): void;
  handleReadyForQuery(): void;
  handleError(failure: Error, wire: Wire): void;
}
