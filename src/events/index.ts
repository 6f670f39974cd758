// The shapes in contract/ are the one source of what a batch is: types, validation, destinations and required fields.

export {
  type AcceptDeps,
  type Accepted,
  type AcceptOutcome,
  type BatchDoor,
  type BatchSender,
  createBatchDoor,
} from './accept-batches.ts';
export { countBatches, eraseBatches } from './batch-log.ts';
export { expireRequests } from './batch-requests.ts';
export { checkBatch } from './check-batch.ts';
export { consentText } from './consent-text.ts';
export type { EventBatch } from './contract/batch.ts';
export type { EventType } from './contract/event-kinds.ts';
export { EVENT_TYPES } from './contract/event-types.ts';
export { type Destination, findDestination } from './contract/find-destination.ts';
export { leafProblem } from './contract/leaf-problem.ts';
export { isUuid, type Leaf } from './contract/leaves.ts';
export { missingFields, requiredFields } from './contract/required-fields.ts';
export type { BatchLimits } from './contract/scan.ts';
export { countCarriers } from './count-carriers.ts';
export { createEvents } from './create-events.ts';
export type { BatchOutcome, BatchSource, BatchToKeep, DeliveredBatches, Events } from './delivery.ts';
export { eraseOfNobody, readOfNobody } from './erase-of-nobody.ts';
export { eraseRejected, readRejected } from './erase-rejected.ts';
export { expireBatches } from './expire-batches.ts';
export { countStrayBatches, dropPartitions, keepPartitions } from './keep-partitions.ts';
export { personBatches } from './person-batches.ts';
export { personOfBatch } from './person-of-batch.ts';
export { identityAnswer, profileAnswer } from './profiles/profile-answer.ts';
export { profileEndpoints } from './profiles/routes.ts';
export { readBatches } from './read-log.ts';
export { expireRejected } from './rejected-batches.ts';
export { eventsEndpoints } from './routes/endpoints.ts';
