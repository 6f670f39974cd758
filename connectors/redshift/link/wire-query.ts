import type pg from 'pg';
import type { Field, RawRow, Wire, WireQuery } from '../sdk.ts';

/** Messages of the extended protocol; the Sync after them is added. */
export interface Messages {
  readonly send: (wire: Wire) => void;
  /** Callback for each row; `bytes` is the size of its message on the wire. */
  readonly onRow?: (row: RawRow, bytes: number) => void;
  /** Callback with the number of parameters of a described statement. */
  readonly onParameters?: (count: number) => void;
}

export interface Answer {
  /** Columns; undefined where they were not requested, or the statement has no rows. */
  readonly fields: readonly Field[] | undefined;
  /** An Execute stopped at its limit of rows, and there may be more. */
  readonly isSuspended: boolean;
}

/**
 * Sends messages and resolves when the server is ready for the next, within the open transaction.
 * A Sync follows each Execute, rather than a Flush, because the statement timeout runs from one Sync to the next.
 */
export function runMessages(client: pg.Client, messages: Messages): Promise<Answer> {
  const { send, onRow = nothing, onParameters = nothing } = messages;
  const wire = wireOf(client);
  // the driver passes this message to no query
  const listen = ({ dataTypeIDs }: { readonly dataTypeIDs: readonly number[] }) => onParameters(dataTypeIDs.length);
  return new Promise<Answer>((resolve, reject) => {
    let fields: readonly Field[] | undefined;
    let isSuspended = false;
    const query: WireQuery = {
      submit() {
        wire.on('parameterDescription', listen);
        send(wire);
        wire.sync();
      },
      handleRowDescription(message) {
        fields = message.fields;
      },
      handleDataRow: (message) => onRow(message.fields, message.length),
      handleCommandComplete: nothing,
      handlePortalSuspended() {
        isSuspended = true;
      },
      handleEmptyQuery: nothing,
      handleReadyForQuery: () => resolve({ fields, isSuspended }),
      handleError: reject,
    };
    submit(client, query);
  }).finally(() => wire.off('parameterDescription', listen));
}

/** Returns the protocol of a client. */
export function wireOf(client: pg.Client): Wire {
  return client.connection as unknown as Wire;
}

/** Makes a query the active one once those before it have ended. */
export function submit(client: pg.Client, query: WireQuery): void {
  client.query(query as WireQuery & pg.Submittable);
}

function nothing(): void {
  // most messages carry nothing new
}
