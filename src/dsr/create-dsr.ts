import type { Endpoint } from '../http/index.ts';
import { createTombstoneKeys } from '../identity/index.ts';
import type { Secret } from '../kernel/index.ts';
import type { DsrEndpointsDeps } from './routes/dsr-endpoint.ts';
import { dsrEndpoints } from './routes/dsr-endpoints.ts';

export interface DsrOptions extends Omit<DsrEndpointsDeps, 'keys'> {
  readonly identityKey: Secret;
}

/** The room as the daemon has it. */
export interface Dsr {
  readonly endpoints: readonly Endpoint[];
}

export function createDsr(options: DsrOptions): Dsr {
  const keys = createTombstoneKeys(options.identityKey);
  return { endpoints: dsrEndpoints({ ...options, keys }) };
}
