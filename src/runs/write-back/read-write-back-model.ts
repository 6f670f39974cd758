// Write-back: the rows of a table are resolved to people, and each person's MPID is written into the table (D-103, D-104). The
// statements for the table are in `src/warehouse/write-back.ts`. No ledger skips rows: resolving a row again changes nothing,
// and a row whose MPID was not written yet must be resolved again. So each attempt begins with the first row, and its counts
// with 0.
import { isWarehouseModule } from '../../access/index.ts';
import { IDENTITY_COLUMNS } from '../../identity/index.ts';
import { AppError } from '../../kernel/index.ts';
import {
  type Connector,
  checkWriteBackModel,
  type WriteBackCheck,
  type WriteBackModel,
} from '../../warehouse/index.ts';
import type { FaultSubject } from '../lifecycle/fault-subject.ts';
import type { Execution } from '../read/execution.ts';

/** The plan that follows from the text of a pipeline's model, before the warehouse is asked. */
export type WriteBackPlan =
  | { readonly kind: 'no' }
  /** Decided by the columns of the model: with an MPID among them, the rules are broken as the refusal says. */
  | { readonly kind: 'if MPID'; readonly refusal: AppError }
  | { readonly kind: 'yes'; readonly model: WriteBackModel };

const NO: WriteBackPlan = { kind: 'no' };

/** Returns the plan. Throws SQL_REFUSED for a model that projects MPID and breaks a rule. */
export async function readWriteBackModel(
  { claimed, feed }: Pick<Execution, 'claimed' | 'feed'>,
  { dialect }: Pick<Connector, 'dialect'>,
): Promise<WriteBackPlan> {
  const { pipeline, dataModel } = claimed.snapshot;
  if (pipeline.pipelineType !== 'user_attributes') return NO;
  if (feed === undefined || !isWarehouseModule(feed.moduleName)) return NO;
  const check = await checkWriteBackModel(dataModel.sqlQuery, dialect, IDENTITY_COLUMNS);
  if (check.outcome === 'accepted') return { kind: 'yes', model: check.model };
  if (check.projectsMpid === false) return NO;
  const refusal = refusalOf(check);
  if (check.projectsMpid === true) throw refusal;
  return { kind: 'if MPID', refusal };
}

function refusalOf({ complaints }: Extract<WriteBackCheck, { readonly outcome: 'refused' }>): AppError {
  return new AppError('SQL_REFUSED', complaints.map(({ message }) => message).join(' '), {
    subject: 'data model' satisfies FaultSubject,
  });
}
