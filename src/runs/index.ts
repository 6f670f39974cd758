// The worker. When a pipeline is due it makes a run, claims it, reads the rows of its range, maps them to people and delivers
// them, one transaction for each chunk, until the run ends or a fault stops it. It knows no provider. Its endpoints are
// those of runs, and those that try a model or a pipeline.
// Terminology: a *claim* gives a run to one worker with a *fence*, a number that every later write of the run names; an
// *attempt* is the work of one claim; *disposition* is the class of an error, and the only thing that decides what follows.
export { createEngine, type Engine } from './create-engine.ts';
export type { EndpointDeps } from './endpoint-deps.ts';
export {
  eraseConflicts,
  eraseFailedRecords,
  type RecordPosition,
  readConflicts,
  readFailedRecords,
} from './failed-records/erase-records.ts';
export { listFailedRecords } from './failed-records/list-failed-records.ts';
export { requestRetry } from './failed-records/request-retry.ts';
export { isLedgerAhead } from './ledger/is-ledger-ahead.ts';
export { cancelPipelineRun } from './lifecycle/cancel-pipeline-run.ts';
export { cancelRun } from './lifecycle/cancel-run.ts';
export { expireRuns } from './lifecycle/expire-runs.ts';
export { reportPipeline } from './lifecycle/report-pipeline.ts';
export { requeueRun } from './lifecycle/requeue-run.ts';
export { triggerPipeline } from './lifecycle/trigger-pipeline.ts';
export type { EngineSettings, RunObserver } from './runs-deps.ts';
export { runsEndpoints } from './runs-endpoints.ts';
export { runsSecrets } from './sealed-tables.ts';
export { failedRecords } from './tables.ts';
export { runAnswer } from './wire/run-answer.ts';
export { queueErasedMpids } from './write-back/erased-mpids.ts';
export { listWriteBackConflicts } from './write-back/list-write-back-conflicts.ts';
export { tablesWaitedFor } from './write-back/written-tables.ts';
