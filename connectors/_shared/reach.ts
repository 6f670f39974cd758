// The way to a target: through the proxy that looks its name up, else to one of its checked addresses.
import { connect, type Socket } from 'node:net';
import { AppError, openTunnel, ProxyFailure, type ProxyServer } from '../../src/kernel/index.ts';
import type { NetworkRules } from '../../src/warehouse/index.ts';
import { resolveHost, type Target } from './resolve-host.ts';
import { timeoutError } from './timeout-error.ts';

export interface ReachOptions {
  /** Longest wait for one address, and for the proxy. */
  readonly limitMs: number;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Opens a TCP connection to a target. Throws the errors of `resolveHost` and of a socket, and WAREHOUSE_UNREACHABLE for the
 * proxy.
 */
export async function reach(target: Target, network: NetworkRules, options: ReachOptions): Promise<Socket> {
  const addresses = await resolveHost(target, network);
  const proxy = network.proxyOf?.(target);
  if (proxy !== undefined) return await reachThrough(proxy, target, options);
  let failure: unknown;
  for (const address of addresses) {
    try {
      return await reachAddress(address, target.port, options);
    } catch (refused) {
      options.signal?.throwIfAborted();
      failure = refused;
    }
  }
  throw failure;
}

/** Opens a tunnel to a target that `resolveHost` allowed. Throws AppError that names the proxy. */
export async function reachThrough(proxy: ProxyServer, target: Target, options: ReachOptions): Promise<Socket> {
  try {
    return await openTunnel(proxy, target, options);
  } catch (failure) {
    if (!(failure instanceof ProxyFailure)) throw failure;
    const isOwn = failure.isSignIn && proxy.addresses !== undefined;
    const code = isOwn ? 'WAREHOUSE_CREDENTIALS' : 'WAREHOUSE_UNREACHABLE';
    throw new AppError(code, failure.message, { cause: failure });
  }
}

function reachAddress(host: string, port: number, { limitMs, signal }: ReachOptions): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, ...(signal === undefined ? {} : { signal }) });
    socket.setTimeout(limitMs, () => socket.destroy(timeoutError(`No connection within ${limitMs / 1000} s`)));
    socket.once('error', reject);
    socket.once('connect', () => {
      socket.off('error', reject);
      socket.setTimeout(0);
      resolve(socket);
    });
  });
}
