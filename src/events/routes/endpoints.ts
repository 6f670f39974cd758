import type { Endpoint } from '../../http/index.ts';
import { type IngestDeps, ingestEndpoints } from './events.ts';
import { listRejectedBatches } from './rejected-batches.ts';

/** Every endpoint of this room: batches that come in (000), and those that were refused. */
export function eventsEndpoints(deps: IngestDeps): readonly Endpoint[] {
  return [...ingestEndpoints(deps), listRejectedBatches(deps)];
}
