// Data subject requests in versions 1 to 3: receipt, waiting period, work, signed callbacks. This room knows what the law asks
// for. Rooms below find and erase what they hold of a person.
//
// Terminology: the *subject* is the person a request names, by identities and MPIDs; *resolving* it finds the profiles; a
// *match hash* recognises two requests for the same thing; a *tombstone* (of `identity`) keeps erased people from returning.
export { callbackAnswer } from './callbacks/callback-endpoints.ts';
export { type CallbackState, listCallbacks } from './callbacks/list-callbacks.ts';
export { replayCallback } from './callbacks/replay-callback.ts';
export { createProcessor, type Processor } from './certificates/create-processor.ts';
export { callbackDeps, createDsr, type Dsr, type DsrOptions } from './create-dsr.ts';
export { listStuckRequests } from './list-stuck-requests.ts';
export { enterRequest, type OfficerDeps, previewEntry, previewRequest } from './officer/enter-request.ts';
export type { Entry } from './officer/entry.ts';
export { listRequests } from './officer/list-requests.ts';
export { readRequestEvidence, requestFacts } from './officer/request-evidence.ts';
export type { ErasurePreview } from './preview-erasure.ts';
export { exportErasures } from './reapply/export-erasures.ts';
export { reapplyErasures } from './reapply/reapply-erasures.ts';
export type { RequestStatus } from './request-machine.ts';
export { registerResultExpiry } from './result/register-result-expiry.ts';
export { retryRequest } from './retry-request.ts';
export { dsrSealedTables } from './sealed-tables.ts';
export { registerVacuum } from './vacuum/register-vacuum.ts';
export { countUnvacuumedErasures } from './vacuum/vacuum-after-erasures.ts';
export { registerRequestWorker } from './work/register-request-worker.ts';
