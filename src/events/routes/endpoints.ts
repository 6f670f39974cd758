import type { Endpoint } from '../../http/index.ts';
import { analyticsEndpoints } from '../analytics/routes.ts';
import { type IngestDeps, ingestEndpoints } from './events.ts';
import { listRejectedBatches } from './rejected-batches.ts';

/** Every endpoint of this room: batches that come in (000), calls that become such, and what was refused. */
export function eventsEndpoints(deps: IngestDeps): readonly Endpoint[] {
  return [...ingestEndpoints(deps), ...analyticsEndpoints(deps), listRejectedBatches(deps)];
}
