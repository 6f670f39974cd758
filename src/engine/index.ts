// The worker: when a pipeline is due it makes a run, claims it, reads the rows of its range, maps them to people and has
// them delivered, one transaction a chunk, until the run ends or a fault stops it. It knows no HTTP and no provider.
export { failedRecords } from './tables.ts';
