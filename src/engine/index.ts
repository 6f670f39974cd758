// The worker: when a pipeline is due it makes a run, claims it, reads the rows of its range, maps them to people and has
// them delivered, one transaction a chunk, until the run ends or a fault stops it. It knows no provider.
// Its endpoints are those that run a model.
// Terminology: a *claim* gives a run to one worker with a *fence*, a number that every later write of the run names; an
// *attempt* is what one claim does; *disposition* is the class of an error, and the only thing that is branched on.
export { cancelPipelineRun } from './cancel-pipeline-run.ts';
export { cancelRun } from './cancel-run.ts';
export { createEngine, type Engine } from './create-engine.ts';
export type { EngineSettings, RunObserver } from './engine-deps.ts';
export { engineEndpoints } from './engine-endpoints.ts';
export {
  eraseConflicts,
  eraseFailedRecords,
  type RecordPosition,
  readConflicts,
  readFailedRecords,
} from './erase-records.ts';
export { expireRuns } from './expire-runs.ts';
export { isLedgerAhead } from './ledger/is-ledger-ahead.ts';
export { listFailedRecords } from './list-failed-records.ts';
export { listWriteBackConflicts } from './list-write-back-conflicts.ts';
export { requestRetry } from './retry/request-retry.ts';
export { engineSecrets } from './sealed-tables.ts';
export { failedRecords } from './tables.ts';
export { queueErasedMpids } from './write-back/erased-mpids.ts';
export { tablesWaitedFor } from './write-back/written-tables.ts';
