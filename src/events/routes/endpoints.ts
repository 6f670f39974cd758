import type { Endpoint } from '../../http/index.ts';
import type { Identities } from '../../identity/index.ts';
import type { Clock } from '../../kernel/index.ts';
import type { Store } from '../../store/index.ts';
import { analyticsEndpoints } from '../analytics/routes.ts';
import { createRecordRejections } from '../log/rejected-batches.ts';
import { type IngestDeps, ingestEndpoints } from './events.ts';
import { listRejectedBatches } from './rejected-batches.ts';

interface EventsDeps extends Omit<IngestDeps, 'recordRejections'> {
  readonly store: Store;
  readonly clock: Clock;
  readonly identities: Pick<Identities, 'findErasedPeople'>;
}

/** Returns every endpoint of this room: those for batches, for calls that become batches, and for what was refused. */
export function eventsEndpoints(given: EventsDeps): readonly Endpoint[] {
  const deps = { ...given, recordRejections: createRecordRejections(given) };
  return [...ingestEndpoints(deps), ...analyticsEndpoints(deps), listRejectedBatches(deps)];
}
