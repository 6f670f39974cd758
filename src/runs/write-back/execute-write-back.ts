import { readSettings } from '../../access/index.ts';
import { policyOf } from '../../identity/index.ts';
import { AppError } from '../../kernel/index.ts';
import type { Notice } from '../../pipelines/index.ts';
import { type Session, type WriteBackModel, wrapModel } from '../../warehouse/index.ts';
import { at } from '../lifecycle/fault-subject.ts';
import type { RunResult } from '../lifecycle/finish-run.ts';
import type { Counts } from '../lifecycle/held-run.ts';
import { deliverAll } from '../read/deliver-all.ts';
import type { ConnectedExecution, Execution } from '../read/execute-run.ts';
import { openSession } from '../read/open-session.ts';
import { readChunks } from '../read/read-chunks.ts';
import { requireMappedRows } from '../read/require-mapped-rows.ts';
import { snapshotKeyOf } from '../read/snapshot-key.ts';
import type { RunsDeps } from '../runs-deps.ts';
import { type Addressing, addressRows } from './address-rows.ts';
import { beginAttempt } from './begin-attempt.ts';
import { clearErasedMpids, mayBeOvertaken } from './erased-mpids.ts';
import { leaveNothingOut } from './nothing-left-out.ts';
import { createResolving } from './resolved-rows.ts';
import { findSharedKeys } from './shared-keys.ts';
import { createStagedKeys } from './staged-keys.ts';
import { dropLeftovers, dropOwnStaging } from './staging-names.ts';
import { writeBehind } from './write-behind.ts';
import { writeKeys } from './write-keys.ts';

const NOTHING_COUNTED: Counts = { extracted: 0, successful: 0, failed: 0, deduplicated: 0, erased: 0 };

/**
 * Executes a write-back: drops leftovers, clears erased people, then reads, resolves and writes in batches of keys: staging,
 * guarded update, conflicts.
 */
export async function executeWriteBack(
  deps: RunsDeps,
  execution: ConnectedExecution,
  model: WriteBackModel,
): Promise<RunResult> {
  const sinceMs = deps.clock.nowMs();
  await using session = await openWriting(deps, execution);
  return await at('data model', () => writeThrough(deps, { ...execution, session, sinceMs, model }));
}

/**
 * Reads, resolves and writes through an open session. Errors of the warehouse concern the model and the table that it names.
 */
async function writeThrough(deps: RunsDeps, opened: Opened): Promise<RunResult> {
  const { claimed, session, signal, model } = opened;
  const columns = await session.describe({ sql: model.sql, parameters: {} }, signal);
  const addressing = addressRows(model, columns, claimed.snapshot.pipeline.rowKey);
  const { workspaceId } = claimed;
  const tableId = await beginAttempt(deps, opened, addressing.target);
  await dropLeftovers(deps, { workspaceId, session, signal });
  const clearing = { workspaceId, tableId, session, signal, target: addressing.target };
  await clearErasedMpids(deps, clearing, !(await mayBeOvertaken(deps.store, claimed)));
  await resolveAndWrite(deps, { ...opened, columns, addressing, tableId });
  await dropOwnStaging(deps, { claimed, tableId, session, signal });
  return { position: undefined, warnings: await warningsOf(deps, opened, addressing) };
}

async function openWriting(deps: RunsDeps, { claimed, connector, signal }: ConnectedExecution): Promise<Session> {
  const { provider } = claimed.snapshot.connection;
  if (!connector.capabilities.writeBack) {
    const message = `The connector for ${provider} of this build of Penstock cannot write MPIDs back.`;
    throw new AppError('CONNECTOR_MISSING', message);
  }
  return await openSession(deps, claimed, { connector, signal, writes: true });
}

interface Opened extends ConnectedExecution {
  readonly session: Session;
  readonly sinceMs: number;
  readonly model: WriteBackModel;
}

interface Writing extends Opened {
  readonly columns: Awaited<ReturnType<Session['describe']>>;
  readonly addressing: Addressing;
  readonly tableId: bigint;
}

async function resolveAndWrite(deps: RunsDeps, step: Writing): Promise<void> {
  const { claimed, session, signal, sinceMs, model, columns, addressing, tableId } = step;
  const { dialect } = step.connector;
  const label = { pipeline: claimed.snapshot.pipeline.id, run: String(claimed.runId) };
  const snapshotKey = snapshotKeyOf(deps, claimed, columns);
  const { chunkRows } = deps.settings;
  const shared = await findSharedKeys({ session, dialect, addressing, chunkRows, label, signal });
  const keys = createStagedKeys(addressing, shared);
  const mapping = await resolvingOf(deps, step, keys.add);
  const ledger = leaveNothingOut(claimed);
  const statement = wrapModel({ sql: model.sql, dialect });
  const writing = writeBehind(() => writeKeys(deps, { claimed, tableId, session, addressing, keys, signal }));
  try {
    await deliverAll(deps, {
      signal,
      sinceMs,
      read: (reading) =>
        readChunks({ session, ledger, chunkRows, label, snapshotKey }, { statement, mapping, columns }, reading),
      delivery: { claimed, mapping, ledger, columns: { id: claimed.fence, columns }, progress: NOTHING_COUNTED },
      async inspect(progress, chunk) {
        requireMappedRows(progress, chunk);
        if (keys.isFull) await writing.next();
      },
    });
    await writing.end();
  } finally {
    // before its session is closed
    await writing.settled();
  }
}

async function resolvingOf(
  deps: RunsDeps,
  { claimed, columns, addressing }: Writing,
  onResolved: Parameters<typeof createResolving>[1]['onResolved'],
) {
  const { workspaceId, snapshot, startedAt } = claimed;
  const settings = await readSettings(deps.store, workspaceId, deps.ceilings);
  const { identity = settings.identity } = snapshot;
  return createResolving(deps, {
    scope: { workspaceId, environment: snapshot.pipeline.environment },
    policy: policyOf({ ...settings, identity }),
    columns,
    addressing,
    runStart: startedAt,
    onResolved,
  });
}

async function warningsOf({ store }: RunsDeps, { claimed }: Execution, { target }: Addressing) {
  const [row] = await store.query<{ conflicting: bigint | null }>(
    'SELECT conflicting_records AS conflicting FROM pipeline_runs WHERE workspace_id = $1 AND id = $2',
    [claimed.workspaceId, claimed.runId],
  );
  const count = row?.conflicting ?? 0n;
  const message =
    `${count} rows, or keys of several people, of ${target.table} did not get their MPID and were left as they are: the MPID ` +
    'or key of the row changed after it was read, or the rows of the key are different people. The run’s ' +
    'write-back-conflicts list them; the next run looks at them again.';
  const warnings: Notice[] = count === 0n ? [] : [{ message }];
  return warnings;
}
