// Connections, data models, field transformations, pipelines and runs as resources: their shapes, verbs, v2 API and v1 (v1/), when runs are due and up to where
// they cover the time line. It probes and describes warehouses when something is saved; it never reads rows: that is engine.
// Terminology: a *fault* stops a resource until someone acts; the *position* is the end of the last range that was delivered;
// a pipeline *runs on* a connection and a data model, and is held while one of the two is faulted or not active.

export { askWarehouse, reachable, type WarehouseDeps } from './ask-warehouse.ts';
export { countsMilliseconds } from './column-fit.ts';
export type { Connection } from './connection.ts';
export { revealConfig, sealedTexts } from './connection-config.ts';
export { TriggerAnswer } from './contract/pipeline.ts';
export { RunAnswer } from './contract/run.ts';
export { closed, Instant, Notices, nullable, Slug } from './contract/shared.ts';
export type { DataModel } from './data-model.ts';
export { dataPlanUses } from './data-plan-uses.ts';
export { durationMs, parseDuration } from './duration.ts';
export { eraseFaults, eraseMessages, readFaults, readMessages } from './erase-messages.ts';
export { clearFaults, faultConnection, faultModel, faultPipeline } from './fault.ts';
export type { FieldMapping, FieldTransformation } from './field-transformation.ts';
export { pipelinesWithLiveRun } from './live-runs.ts';
export { findConnection, listConnections, unknownConnection } from './load-connection.ts';
export { loadDataModel } from './load-data-model.ts';
export { loadPipeline, loadPipelines, lockPipeline } from './load-pipeline.ts';
export { findLatestRun, listRuns, loadRun } from './load-runs.ts';
export { type LastChanges, lastChanges, lockRanOn, type RanOnPart } from './lock-ran-on.ts';
export type { DataPlan, Notice, Pipeline, Schedule, SyncMode } from './pipeline.ts';
export { pipelineIds } from './pipeline-ids.ts';
export { pipelineLags } from './pipeline-lags.ts';
export {
  type PipelineContext,
  pipelineErrors,
  pipelineStatus,
  stoppedBy,
  stoppedError,
} from './pipeline-status.ts';
export { probeStored } from './probe-connection.ts';
export { putBackSchedules } from './put-back-schedules.ts';
export { repeatOnce } from './repeat-once.ts';
export { reportPipeline } from './report-pipeline.ts';
export { RUN_QUEUE, requestRun, runJobKey } from './request-run.ts';
export { reschedulePipelines } from './reschedule-pipelines.ts';
export { BASE, CHANGES, pathParams, READS } from './routes/platform-endpoint.ts';
export { type Run, type RunStatus, type RunType, runFromRow } from './run.ts';
export { type DueRun, dueAfter, dueRun, isOver, nextDueAt, type Timetable, timetableOf } from './schedule.ts';
export { syncSecrets } from './sealed-tables.ts';
export type { SyncDeps } from './sync-deps.ts';
export { syncEndpoints } from './sync-endpoints.ts';
export { connections, dataModels, fieldTransformations, pipelineRuns, pipelines } from './tables.ts';
export { transformationMisfits } from './transformation-fit.ts';
export { scheduleEnded, triggerPipeline } from './trigger-pipeline.ts';
export { RunStatusAnswer } from './v1/contract/run.ts';
export { loadKnownPipeline } from './v1/in-version-one.ts';
export { renderStopped } from './v1/render-errors.ts';
export { BASE as VERSION_ONE, CHANGES as VERSION_ONE_CHANGES } from './v1/routes/platform-endpoint.ts';
export { runStatusAnswer } from './v1/wire/run.ts';
export { runAnswer } from './wire/run-answer.ts';
export { zoneWarnings } from './zone-warnings.ts';
