import { identityTypeOfColumn, type Meaning, type MeaningsOf } from '../../identity/index.ts';
import type { WorkspaceId } from '../../kernel/index.ts';
import type { FieldMapping } from '../../pipelines/index.ts';
import type { Sql } from '../../store/index.ts';
import { snapshotFromText } from '../lifecycle/run-snapshot.ts';

/**
 * Returns the meanings of the columns of each run's rows, where their names do not say them.
 * Columns of an events pipeline have any names; its transformation determines which of them are identities.
 */
export async function loadMeanings(
  sql: Sql,
  workspaceId: WorkspaceId,
  runIds: readonly bigint[],
): Promise<(runId: bigint) => MeaningsOf | undefined> {
  if (runIds.length === 0) return () => undefined;
  const runs = await sql.query<{ readonly id: bigint; readonly snapshot: string }>(
    'SELECT id, snapshot FROM pipeline_runs WHERE workspace_id = $1 AND id = ANY($2) AND snapshot IS NOT NULL',
    [workspaceId, runIds],
  );
  const meanings = new Map(runs.map(({ id, snapshot }) => [id, meaningsOf(snapshot)]));
  return (runId) => meanings.get(runId);
}

function meaningsOf(snapshot: string): MeaningsOf | undefined {
  const { transformation } = snapshotFromText(snapshot);
  if (transformation === null) return undefined;
  const byColumn = Map.groupBy(transformation.mappings.flatMap(meaningOfMapping), ([column]) => column);
  // a field of JSON inside a cell is no column, whatever its name
  return (column, depth) => (depth > 0 ? undefined : byColumn.get(column.toLowerCase())?.map(([, meaning]) => meaning));
}

function meaningOfMapping(mapping: FieldMapping): readonly (readonly [column: string, meaning: Meaning])[] {
  if (mapping.type !== 'column') return [];
  const [first = '', last = first] = mapping.destination.split('.');
  if (first === 'mpid') return [[mapping.source.toLowerCase(), 'mpid']];
  const isIdentity = ['user_identities', 'device_info', 'mp_deviceid'].includes(first);
  const type = isIdentity ? identityTypeOfColumn(last) : undefined;
  return type === undefined ? [] : [[mapping.source.toLowerCase(), type]];
}
