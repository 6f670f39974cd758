import type { Server } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Ends the connections that have not sent a byte yet. Browsers, proxies and fetch open such connections in advance. Node counts
 * them as busy, as a request may be on its way, and would wait for them when it closes.
 */
export function silentConnectionsOf(server: Server): { readonly end: () => void } {
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  return {
    end() {
      for (const socket of open) if (socket.bytesRead === 0) socket.destroy();
    },
  };
}
