import type { Static } from 'typebox';
import type { Caller } from '../../http/index.ts';
import { refuse } from '../../kernel/index.ts';
import type { Row } from '../../mapping/index.ts';
import { isList, plainOf } from '../../mapping/index.ts';
import {
  askWarehouse,
  findConnection,
  loadDataModel,
  type Notice,
  revealConnection,
  unknownConnection,
} from '../../pipelines/index.ts';
import { type Cell, type Column, type Range, type Session, type Statement, wrapModel } from '../../warehouse/index.ts';
import { MOST_PREVIEW_ROWS, type PreviewAnswer } from '../contract/trial.ts';
import type { TrialDeps } from '../endpoint-deps.ts';
import { acceptedSql } from '../read/model-source.ts';
import { connectorOf } from '../read/open-session.ts';
import { estimateCost } from './estimate-cost.ts';

export interface PreviewRequest {
  readonly modelId: string;
  readonly connectionId: string;
  readonly limit?: number | undefined;
  /** Aborts when the caller disconnects. */
  readonly signal: AbortSignal;
}

/**
 * Returns some rows of a model on one warehouse. Keeps nothing.
 * Throws NOT_FOUND, VALIDATION_FAILED for an unknown connection, SQL_REFUSED and the warehouse's errors, with WAREHOUSE_TIMEOUT
 * when it is too slow.
 */
export async function previewModel(
  deps: TrialDeps,
  { workspaceId }: Caller,
  { modelId, connectionId, limit = MOST_PREVIEW_ROWS, signal: caller }: PreviewRequest,
): Promise<Static<typeof PreviewAnswer>> {
  const model = await loadDataModel(deps.store, { workspaceId, id: modelId });
  const connection = await findConnection(deps.store, { workspaceId, id: connectionId });
  if (connection === undefined) throw refuse([{ path: 'connection_id', message: unknownConnection(connectionId) }]);
  const { dialect } = connectorOf(deps, connection);
  const sql = await acceptedSql(model.sqlQuery, dialect);
  return await askWarehouse(
    deps,
    { ...revealConnection(deps, connection), signal: caller },
    async (session, signal) => {
      const columns = await session.describe({ sql, parameters: {} }, signal);
      const range = session.previewRange?.(sql);
      const statement = wrapModel({ sql, dialect, range, limit });
      const { estimate, warnings: unestimated } = await estimateCost(session, statement, signal);
      const { rows, warnings } = await firstRows(session, {
        statement,
        described: columns,
        limit,
        signal,
      });
      return {
        columns: columns.map(({ name, nativeType }) => ({ name, type: nativeType })),
        rows: rows.map((row) => row.map(plainOf)),
        cost_estimate: estimate,
        warnings: [...(range === undefined ? [] : [partOnly(range)]), ...unestimated, ...warnings],
      };
    },
  );
}

function partOnly({ column, start }: Range): Notice {
  const message =
    `The tables of the model require a filter on their partitions, so only rows with "${column}" from ${start} on are ` +
    'shown. A pipeline needs this column as its iterator, or a filter in the model.';
  return { message };
}

interface FirstRows {
  readonly statement: Statement;
  readonly described?: readonly Column[];
  readonly limit: number;
  readonly signal: AbortSignal;
}

const MOST_MIB = 8;
const MOST_BYTES = MOST_MIB * 1024 * 1024;

interface SomeRows {
  readonly rows: readonly Row[];
  /** Warning where rows were dropped because of their size. */
  readonly warnings: readonly Notice[];
}

/** Returns at most `limit` rows of the statement, of about 8 MiB together. The rest of the result is freed in the warehouse. */
export async function firstRows(session: Session, first: FirstRows): Promise<SomeRows> {
  const { limit, signal, ...asked } = first;
  const rows: Row[] = [];
  let bytes = 0;
  const { chunks } = await session.read({ ...asked, chunkRows: limit, chunkBytes: MOST_BYTES }, signal);
  for await (const chunk of chunks) {
    for (const row of chunk.slice(0, limit - rows.length)) {
      bytes += bytesOf(row);
      if (bytes > MOST_BYTES) return { rows, warnings: [{ message: tooLarge(rows.length) }] };
      rows.push(row);
    }
    if (rows.length >= limit) break;
  }
  return { rows, warnings: [] };
}

function tooLarge(shown: number): string {
  const taken = shown === 0 ? 'No row is shown' : `Only the first ${shown} rows are shown`;
  return `${taken}: with the next one they exceed ${MOST_MIB} MiB. Select fewer or shorter columns to see more.`;
}

const CELL_BYTES = 8;

function bytesOf(cell: Cell): number {
  if (typeof cell === 'string' || cell instanceof Uint8Array) return CELL_BYTES + cell.length;
  if (typeof cell !== 'object' || cell === null) return CELL_BYTES;
  const items: readonly Cell[] = isList(cell) ? cell : cell.entries.flat();
  return items.reduce((sum: number, item) => sum + bytesOf(item), CELL_BYTES);
}
