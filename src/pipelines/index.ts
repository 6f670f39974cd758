// Connections, data models, field transformations and pipelines as resources: their shapes, verbs and v2 API, the times at
// which runs are due, the part of the time line that they cover, and the rows of runs. It probes and describes warehouses when
// something is saved. The room `runs` reads rows, and has the API of runs.
// Terminology: a *fault* stops a resource until someone acts; the *position* is the end of the last delivered range; a pipeline
// *runs on* a connection and a data model, and is held while one of the two is faulted or not active.

export { unknownPlan, unknownVersion } from './checks/check-data-plan.ts';
export { nestedWarnings } from './checks/nested-warnings.ts';
export { zoneWarnings } from './checks/zone-warnings.ts';
export { askWarehouse, revealConnection, type WarehouseDeps } from './connections/ask-warehouse.ts';
export type { Connection } from './connections/connection.ts';
export { maskConfig, revealConfig, sealedTexts } from './connections/connection-config.ts';
export { deleteConnection } from './connections/delete-connection.ts';
export {
  connectionNotFound,
  findConnection,
  listConnections,
  loadConnection,
  unknownConnection,
} from './connections/load-connection.ts';
export { type LastChanges, lastChanges, lockRanOn, type RanOnPart } from './connections/lock-ran-on.ts';
export { probeStored, requireAnswer } from './connections/probe-connection.ts';
export { secretFieldsOf } from './connections/provider.ts';
export { createConnection, replaceConnection } from './connections/save-connection.ts';
export { createTrialQueue, type RunTrial } from './connections/trial-queue.ts';
export type { ConnectionBody } from './contract/connection.ts';
export type { DataModelBody } from './contract/data-model.ts';
export { type PipelineBody, PipelineStatus } from './contract/pipeline.ts';
export { FREQUENCIES } from './contract/schedule.ts';
export { auditProperties, closed, Instant, Name, Notices, nullable, optionalOrNull, Slug } from './contract/shared.ts';
export type { DataModel } from './data-models/data-model.ts';
export { deleteDataModel } from './data-models/delete-data-model.ts';
export { findDataModel, listDataModels, loadDataModel, unknownDataModel } from './data-models/load-data-model.ts';
export { followModel, type LoadTimestamp } from './data-models/load-timestamp.ts';
export { createDataModel, replaceDataModel } from './data-models/save-data-model.ts';
export { eraseFaults, eraseMessages, readFaults, readMessages } from './erase-messages.ts';
export { createPipeline } from './pipelines/create-pipeline.ts';
export { dataPlanUses } from './pipelines/data-plan-uses.ts';
export { deletePipeline } from './pipelines/delete-pipeline.ts';
export { clearFaults, faultConnection, faultModel, faultPipeline } from './pipelines/fault.ts';
export {
  loadPipeline,
  loadPipelines,
  lockPipeline,
  type PipelineSelection,
  pipelineNotFound,
} from './pipelines/load-pipeline.ts';
export type { DataPlan, Notice, Pipeline, PipelineMarks, Schedule, SyncMode } from './pipelines/pipeline.ts';
export { pipelineIds } from './pipelines/pipeline-ids.ts';
export { pipelineLags } from './pipelines/pipeline-lags.ts';
export {
  type PipelineContext,
  pipelineErrors,
  pipelineStatus,
  stoppedBy,
  stoppedError,
} from './pipelines/pipeline-status.ts';
export { isTimeZone } from './pipelines/read-sync-mode.ts';
export { replacePipeline } from './pipelines/replace-pipeline.ts';
export { resetPipeline } from './pipelines/reset-pipeline.ts';
export type { PipelinesDeps, PipelinesEndpointDeps } from './pipelines-deps.ts';
export { pipelinesEndpoints } from './pipelines-endpoints.ts';
export {
  BASE,
  CHANGES,
  NoContent,
  pathParams,
  READS,
  TRIALS_LIMITED,
  workspaceParams,
} from './routes/platform-endpoint.ts';
export { pipelinesWithLiveRun } from './run-rows/live-runs.ts';
export { findLatestRun, listRuns, loadRun, runFromRow } from './run-rows/load-runs.ts';
export { RUN_QUEUE, requestRun, runJobKey } from './run-rows/request-run.ts';
export { RUN_STATUSES, type Run, type RunStatus, type RunType } from './run-rows/run.ts';
export { durationMs, parseDuration } from './schedules/duration.ts';
export { putBackSchedules } from './schedules/put-back-schedules.ts';
export { repeatOnce } from './schedules/repeat-once.ts';
export { reschedulePipelines } from './schedules/reschedule-pipelines.ts';
export {
  type DueRun,
  dueAfter,
  dueRun,
  isOver,
  nextDueAt,
  type Timetable,
  timetableOf,
  triggeredRun,
} from './schedules/schedule.ts';
export { pipelinesSecrets } from './sealed-tables.ts';
export { connections, dataModels, fieldTransformations, pipelineRuns, pipelines } from './tables.ts';
export { countsMilliseconds } from './transformations/column-fit.ts';
export type { FieldMapping, FieldTransformation } from './transformations/field-transformation.ts';
export { transformationMisfits } from './transformations/transformation-fit.ts';
export { auditAnswer } from './wire/connection-answer.ts';
export { noticesAnswer } from './wire/notices-answer.ts';
export { pipelineAnswer } from './wire/pipeline-answer.ts';
