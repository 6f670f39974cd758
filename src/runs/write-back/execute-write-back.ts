import { AppError } from '../../kernel/index.ts';
import type { Connection, Notice } from '../../pipelines/index.ts';
import {
  type Column,
  type Connector,
  type WriteBackModel,
  type WriteBackTarget,
  wrapModel,
} from '../../warehouse/index.ts';
import type { RunResult } from '../lifecycle/finish-run.ts';
import type { Progress } from '../lifecycle/held-run.ts';
import { deliverRows } from '../read/deliver-all.ts';
import type { ConnectedExecution } from '../read/execution.ts';
import { requireMappedRows } from '../read/require-mapped-rows.ts';
import type { RunsDeps } from '../runs-deps.ts';
import { type Addressing, addressRows } from './address-rows.ts';
import { createPassAllLedger } from './pass-all-ledger.ts';
import { type PreparedTable, prepareTable } from './prepare-table.ts';
import { createResolving } from './resolved-rows.ts';
import { findSharedKeys } from './shared-keys.ts';
import { createStagedKeys } from './staged-keys.ts';
import { dropOwnStaging } from './staging.ts';
import { type KeyWriting, openKeyPortions, writeBehind, writeKeys, writePortions } from './write-keys.ts';

const NOTHING_COUNTED: Progress = { extracted: 0, successful: 0, failed: 0, deduplicated: 0, erased: 0, ahead: 0 };

/**
 * Executes a write-back: drops leftovers, clears erased people, then reads and resolves rows, and stages their keys in portions.
 * One guarded update writes a portion, or all of them at the end, and conflicts are looked up.
 */
export async function executeWriteBack(
  deps: RunsDeps,
  execution: ConnectedExecution,
  model: WriteBackModel,
): Promise<RunResult> {
  const { claimed, session, signal } = execution;
  const columns = await session.describe({ sql: model.sql, parameters: {} }, signal);
  const addressing = addressRows(model, columns, claimed.snapshot.pipeline.rowKey);
  const { target } = addressing;
  const prepared = await prepareTable(deps, execution, target);
  const conflicts = await resolveAndWrite(deps, { ...execution, ...prepared, model, columns, addressing });
  await dropOwnStaging(deps, { ...execution, ...prepared });
  return { position: undefined, warnings: conflicts === 0 ? [] : [conflictWarning(conflicts, target)] };
}

/** Throws CONNECTOR_MISSING where the connector cannot write back. Asked before a session is opened to write. */
export function requireWriteBack(
  { capabilities }: Pick<Connector, 'capabilities'>,
  { provider }: Pick<Connection, 'provider'>,
): void {
  if (capabilities.writeBack) return;
  const message = `The connector for ${provider} of this build of Penstock cannot write MPIDs back.`;
  throw new AppError('CONNECTOR_MISSING', message);
}

interface Writing extends ConnectedExecution, PreparedTable {
  readonly model: WriteBackModel;
  readonly columns: readonly Column[];
  readonly addressing: Addressing;
}

/** Resolves all rows and writes their MPIDs, while it resolves the next ones. Returns the number of conflicts. */
async function resolveAndWrite(deps: RunsDeps, writing: Writing): Promise<number> {
  const { claimed, connector, model, columns } = writing;
  const { dialect } = connector;
  const { chunkRows, portionKeys } = deps.settings;
  const shared = await findSharedKeys({ ...writing, dialect, chunkRows });
  const portions = openKeyPortions(deps, writing);
  const keys = createStagedKeys(writing.addressing, { shared, stagesOthers: portions !== undefined, portionKeys });
  const mapping = createResolving(deps, { ...writing, onResolved: keys.add });
  const source = { statement: wrapModel({ sql: model.sql, dialect }), mapping, columns };
  await using writer = createKeyWriter(deps, { ...writing, keys, portions });
  await deliverRows(deps, writing, {
    source,
    ledger: createPassAllLedger(claimed),
    progress: NOTHING_COUNTED,
    async inspect(progress, chunk) {
      requireMappedRows(progress, chunk);
      if (keys.isFull) await writer.next();
      // the attempt ends with this chunk, and the next one begins with the first row
      if (deps.clock.nowMs() >= writing.deadlineMs) await writer.finish();
    },
  });
  return await writer.finish();
}

/** Creates the writer of the staged keys. Disposing waits for its work, which needs the session, and drops what is staged. */
function createKeyWriter(deps: RunsDeps, writing: KeyWriting) {
  let conflicts = 0;
  const behind = writeBehind(async () => {
    conflicts = (await writeKeys(deps, writing)) ?? conflicts;
  });
  return {
    next: behind.next,
    /** Writes all that is left. Returns the number of conflicts of the run. */
    async finish(): Promise<number> {
      await behind.end();
      return (await writePortions(deps, writing)) ?? conflicts;
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await behind.settled();
      await writing.portions?.[Symbol.asyncDispose]();
    },
  };
}

function conflictWarning(conflicts: number, { table }: WriteBackTarget): Notice {
  const message =
    `${conflicts} rows, or keys of several people, of ${table} were left without a new MPID: the MPID ` +
    'or key of the row changed after it was read, or the rows of the key belong to different people. The run’s ' +
    'write-back-conflicts list them; the next run tries them again.';
  return { message };
}
