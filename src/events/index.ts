// The shapes in contract/ are the one source of what a batch is: types, validation, destinations and required fields.

export {
  type AcceptDeps,
  type Accepted,
  type AcceptOutcome,
  type BatchDoor,
  type BatchSender,
  createBatchDoor,
} from './accept/accept-batches.ts';
export { checkBatch } from './accept/check-batch.ts';
export { consentText } from './accept/consent-text.ts';
export type { BatchOutcome, BatchSource, BatchToKeep, DeliveredBatches, Events } from './accept/delivery.ts';
export { personOfBatch } from './accept/person-of-batch.ts';
export type { EventBatch } from './contract/batch.ts';
export type { BatchLimits } from './contract/batch-limits.ts';
export type { EventType } from './contract/event-kinds.ts';
export { EVENT_TYPES } from './contract/event-types.ts';
export { type Destination, findDestination } from './contract/find-destination.ts';
export { leafProblem } from './contract/leaf-problem.ts';
export { isUuid, type Leaf } from './contract/leaves.ts';
export { missingFields, requiredFields } from './contract/required-fields.ts';
export { countCarriers } from './count-carriers.ts';
export { createEvents } from './create-events.ts';
export { countBatches, eraseBatches } from './log/batch-log.ts';
export { expireRequests } from './log/batch-requests.ts';
export { eraseOfNobody, readOfNobody } from './log/erase-of-nobody.ts';
export { eraseRejected, readRejected } from './log/erase-rejected.ts';
export { expireBatches } from './log/expire-batches.ts';
export { countStrayBatches, dropPartitions, keepPartitions } from './log/keep-partitions.ts';
export { personBatches } from './log/person-batches.ts';
export { readBatches } from './log/read-log.ts';
export { expireRejected } from './log/rejected-batches.ts';
export { identityAnswer, profileAnswer } from './profiles/profile-answer.ts';
export { profileEndpoints } from './profiles/routes.ts';
export { eventsEndpoints } from './routes/endpoints.ts';
