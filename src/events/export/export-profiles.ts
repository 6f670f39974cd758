import type { Static, Type } from 'typebox';
import { recordChange } from '../../access/index.ts';
import { type Caller, readTimes } from '../../http/index.ts';
import type { Environment } from '../../identity/index.ts';
import { type Issue, refuse } from '../../kernel/index.ts';
import type { ExportQuery } from './contract.ts';
import { ALL_TIME, isIssue, type ProfilePosition, readProfileCursor } from './cursor.ts';
import type { Export, ExportDeps } from './export-batches.ts';
import { profileLines } from './profile-lines.ts';

type Query = Static<ReturnType<typeof Type.Object<typeof ExportQuery>>>;

/**
 * Exports each profile that exists when the export begins once; the bounds in time apply to its creation. The audit log
 * records the export first. Throws VALIDATION_FAILED.
 */
export async function exportProfiles(
  { store, clock }: Pick<ExportDeps, 'store' | 'clock'>,
  { workspaceId, actor }: Caller,
  { cursor, limit, environment, startDate, endDate }: Query,
): Promise<Export> {
  const { from = ALL_TIME.from, to = ALL_TIME.to } = readTimes({ startDate, endDate });
  const environments: readonly Environment[] =
    environment === undefined ? ['production', 'development'] : [environment];
  const after = cursor === undefined ? undefined : readCursor(cursor, environments);
  await store.transaction((tx) =>
    recordChange(tx, {
      workspaceId,
      actor,
      occurredOn: new Date(clock.nowMs()),
      action: 'profiles.exported',
      resource: 'profiles',
      detail: { cursor, limit, environment, startDate, endDate },
    }),
  );
  const most = limit ?? Number.POSITIVE_INFINITY;
  return { lines: profileLines({ store, workspaceId, environments, from, to, after, limit: most }) };
}

function readCursor(text: string, environments: readonly Environment[]): ProfilePosition {
  const read = readProfileCursor(text);
  if (isIssue(read)) throw refuse([read]);
  if (environments.includes(read.environment)) return read;
  const issue: Issue = {
    path: 'cursor',
    message: `belongs to an export of ${read.environment}; use it with environment=${read.environment} or without environment.`,
  };
  throw refuse([issue]);
}
