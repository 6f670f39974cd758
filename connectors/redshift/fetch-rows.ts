// Sources of a statement's rows, which are fetched on request, a given number at a time.
import type { Link } from './link/link.ts';
import type { BoundSql } from './render.ts';
import type { RawRow } from './sdk.ts';
import { CLOSE_SQL, declareSql, fetchSql, ROWS } from './statements.ts';

export type OnRow = (row: RawRow, bytes: number) => void;

export interface RowSource {
  /** Passes at most that many rows to `onRow`. Returns true while there may be more. */
  fetch(rows: number, onRow: OnRow): Promise<boolean>;
  /** Releases the rest of the rows, on a link that is usable. */
  close(): Promise<void>;
  /** Deletes what the source keeps outside the link, whatever happened to the link. Never throws. */
  dispose?(): Promise<void>;
}

/** Reads PostgreSQL's rows from a portal, whose Execute takes a limit of rows. Binds it at the first fetch. */
function portalRows(link: Link, { text, values }: BoundSql): RowSource {
  let isBound = false;
  return {
    async fetch(rows, onRow) {
      const { isSuspended } = await link.messages({
        send: (wire) => {
          if (!isBound) {
            wire.parse({ text });
            wire.bind({ portal: ROWS, values });
          }
          isBound = true;
          wire.execute({ portal: ROWS, rows });
        },
        onRow,
      });
      return isSuspended;
    },
    async close() {
      if (isBound) await link.messages({ send: (wire) => wire.close({ type: 'P', name: ROWS }) });
    },
  };
}

/**
 * Reads Redshift's rows from a cursor, one for each session. A FETCH has a limit; the queue asks again until its chunk is full. Portals there have no limit of rows, and cursors no parameters.
 */
function cursorRows(link: Link, { text }: BoundSql): RowSource {
  let isDeclared = false;
  const execute = (sql: string, onRow?: OnRow) =>
    link.messages({
      send: (wire) => {
        wire.parse({ text: sql });
        wire.bind({ values: [] });
        wire.execute({});
      },
      ...(onRow === undefined ? {} : { onRow }),
    });
  return {
    async fetch(rows, onRow) {
      if (!isDeclared) await execute(declareSql(text));
      isDeclared = true;
      let count = 0;
      const asked = Math.min(rows, link.mostFetchedRows);
      await execute(fetchSql(asked), (row, bytes) => {
        count += 1;
        onRow(row, bytes);
      });
      return count === asked;
    },
    async close() {
      if (isDeclared) await execute(CLOSE_SQL);
    },
  };
}

export function rowSource(link: Link, sql: BoundSql): RowSource {
  return link.product === 'PostgreSQL' ? portalRows(link, sql) : cursorRows(link, sql);
}
