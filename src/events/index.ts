export { createEvents } from './create-events.ts';
export type { BatchOutcome, BatchToKeep, DeliveredBatches, Events, PreparedBatches } from './delivery.ts';
export { SOURCE_INFO } from './source-info.ts';
