export { connections, dataModels, pipelineRuns, pipelines } from './tables.ts';
