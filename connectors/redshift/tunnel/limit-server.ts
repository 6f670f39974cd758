// Limits of what an SSH server may make this side keep. A connection names its SSH server, so a tenant can run one.
import type { Socket } from 'node:net';
import type { Client } from 'ssh2';
import { fieldOf } from '../../_shared/field-of.ts';

/** Bytes that may wait in either direction. A channel's window is 2 MiB, so only a server that ignores it gets beyond. */
const MOST_WAITING_BYTES = 16 * (1 << 20);
/** Most announcements of further host keys. OpenSSH makes one, after the sign-in. */
const MOST_ANNOUNCEMENTS = 4;
const ANNOUNCEMENT = 'hostkeys-00@openssh.com';

/** Closes the connection of a server that sends more than the window of the channel, or reads nothing. */
export function limitWaiting(tcp: Socket, unread: () => number): void {
  tcp.on('data', () => {
    if (Math.max(tcp.writableLength, unread()) <= MOST_WAITING_BYTES) return;
    tcp.destroy(new Error('The SSH server sent more than the window of the channel, or read nothing'));
  });
}

/**
 * Ignores the host keys that a server announces beside the pinned one, and closes the connection of a server that goes on. The
 * SDK would ask for a proof of all keys of each announcement, and keep them until the server answers. Call it after `connect`.
 */
export function ignoreHostKeys(client: Client, tcp: Socket): void {
  // the handlers are in fields of the SDK's own that its types leave out; there are none where it could not read the key
  const handlers = fieldOf(fieldOf(client, '_protocol'), '_handlers');
  const handle = fieldOf(handlers, 'GLOBAL_REQUEST');
  if (typeof handlers !== 'object' || handlers === null || typeof handle !== 'function') return;
  let announcements = 0;
  const ignore = (protocol: unknown, name: string, ...asked: readonly unknown[]) => {
    const isAnnouncement = name === ANNOUNCEMENT;
    announcements += Number(isAnnouncement);
    if (announcements > MOST_ANNOUNCEMENTS)
      tcp.destroy(new Error('The SSH server announces host keys again and again'));
    // under a name that the SDK does not know, a request is refused
    else handle(protocol, isAnnouncement ? '' : name, ...asked);
  };
  Reflect.set(handlers, 'GLOBAL_REQUEST', ignore);
}
