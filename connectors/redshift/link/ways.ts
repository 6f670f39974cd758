// The ways of a connection: the hosts of the configuration in order, each with its checked addresses and the attempts of TLS.
import { AppError } from '../../../src/kernel/index.ts';
import type { NetworkRules } from '../../../src/warehouse/index.ts';
import { resolveHost } from '../../_shared/resolve-host.ts';
import { type RedshiftConfig, targetsOf } from '../config.ts';
import { attemptsOf, type Tls } from './tls.ts';

/** One address of one host. */
export interface Way {
  readonly address: string;
  readonly port: number;
  /** Options of TLS in the order of the attempts; undefined stands for none. */
  readonly attempts: readonly Tls[];
}

/**
 * Returns the ways in order. A host whose name is not known is left out as long as another one is known. Throws WAREHOUSE_CONFIG
 * where one host is not allowed, whatever the others are.
 */
export async function waysOf(config: RedshiftConfig, network: NetworkRules): Promise<readonly Way[]> {
  const ways: Way[] = [];
  const unknown: unknown[] = [];
  for (const target of targetsOf(config)) {
    const addresses = await resolveHost(target, network).catch((failure: unknown) => {
      if (!(failure instanceof AppError) || failure.code !== 'WAREHOUSE_UNREACHABLE') throw failure;
      unknown.push(failure);
      return [];
    });
    for (const address of addresses) {
      ways.push({ address, port: target.port, attempts: attemptsOf({ ...config, host: target.host }, address) });
    }
  }
  if (ways.length === 0) throw unknown[0];
  return ways;
}
