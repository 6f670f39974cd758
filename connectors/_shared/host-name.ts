import { isIP } from 'node:net';

const HOST_NAME = /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*\.?$/i;

/**
 * Tells whether text is the name of a host or an address. Refuses a scheme, a port and a folder, which a driver might take for a
 * socket of this machine.
 */
export function isHost(text: string): boolean {
  return isIP(text) !== 0 || HOST_NAME.test(text);
}
