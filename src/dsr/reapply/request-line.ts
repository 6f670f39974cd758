// A request in an export: its columns without personal data, under their own names, so that it is restored unchanged.

import { AppError, type WorkspaceId } from '../../kernel/index.ts';
import type { Transaction } from '../../store/index.ts';
import { isOpen, REQUEST_STATUSES, type RequestStatus } from '../request-machine.ts';

/** Exported columns. Personal data stays out, and so does what only workers and result files need. */
export const EXPORTED_COLUMNS = [
  'id',
  'given_id',
  'version',
  'type',
  'regulation',
  'group_id',
  'status',
  'skip_waiting_period',
  'created_by',
  'submitted_on',
  'received_on',
  'starts_on',
  'started_on',
  'completed_on',
  'cancelled_on',
  'expected_completion_on',
  'match_hash',
  'subject_keys',
  'erased_keys',
  'counts',
  'attempts',
];

/** Returns the SQL that writes a row of `table` as a line. */
export function requestLineSql(table: string): string {
  const pairs = EXPORTED_COLUMNS.map((column) => `'${column}', ${table}.${column}`);
  return `json_build_object('kind', 'request', ${pairs.join(', ')})::text`;
}

export interface RequestLine {
  readonly id: string;
  readonly status: RequestStatus;
  /** The whole line. */
  readonly text: string;
}

export function readRequestLine(line: Readonly<Record<string, unknown>>, text: string): RequestLine {
  const status = REQUEST_STATUSES.find((known) => known === line.status);
  if (status === undefined) throw new AppError('VALIDATION_FAILED', 'The export has a request of an unknown status.');
  return { id: String(line.id), status, text };
}

/** Tells whether the request can be restored. The subject of an open one is unknown. */
export const isOver = ({ status }: RequestLine): boolean => !isOpen(status);

/** Restores a request. Returns false where the store has it. */
export async function restoreRequest(tx: Transaction, workspaceId: WorkspaceId, { text }: RequestLine) {
  const restored = await tx.query(
    `INSERT INTO dsr_requests (workspace_id, ${EXPORTED_COLUMNS.join(', ')})
     SELECT $1, ${EXPORTED_COLUMNS.map((column) => `line.${column}`).join(', ')}
     FROM json_populate_record(NULL::dsr_requests, $2::json) AS line
     ON CONFLICT DO NOTHING RETURNING id`,
    [workspaceId, text],
  );
  return restored.length === 1;
}
