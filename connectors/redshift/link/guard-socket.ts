import type { Duplex } from 'node:stream';
import { AppError } from '../../../src/kernel/index.ts';
import type { Wire } from '../sdk.ts';

/**
 * Turns errors that nobody could catch into errors of the connection. The driver throws while it reads from the socket, as for
 * the sign-in that an IAM Identity Center cluster requests (authentication code 13). Also bounds the length of a message,
 * because the driver buffers one of any length: a longer one ends the connection.
 */
export function guardSocket(wire: Wire, messageBytes: number): void {
  const attach = wire.attachListeners.bind(wire);
  wire.attachListeners = (stream) => {
    const requireShort = lengthGuard(messageBytes);
    const listen = (event: string, listener: (bytes: Buffer) => void) => stream.on(event, listener);
    const on = (event: string, listener: (bytes: Buffer) => void) => {
      if (event !== 'data') return listen(event, listener);
      return listen(event, (bytes: Buffer) => {
        try {
          requireShort(bytes);
          listener(bytes);
        } catch (thrown) {
          wire.emit('error', thrown);
          stream.destroy();
        }
      });
    };
    const guarded: Duplex = Object.create(stream, { on: { value: on } });
    attach(guarded);
  };
}

/** Bytes of a header: a letter, then the length of the message without that letter. */
const HEADER_BYTES = 5;

/** Returns a check that follows the messages of one stream by their headers, which may arrive in pieces. */
function lengthGuard(messageBytes: number): (bytes: Buffer) => void {
  let header = Buffer.alloc(0);
  // rest of the message whose header was read last
  let bytesLeft = 0;
  const skip = (bytes: Buffer): Buffer => {
    const rest = bytes.subarray(bytesLeft);
    bytesLeft = Math.max(0, bytesLeft - bytes.length);
    return rest;
  };
  const readHeader = (bytes: Buffer): Buffer => {
    const missing = HEADER_BYTES - header.length;
    header = Buffer.concat([header, bytes.subarray(0, missing)]);
    if (header.length === HEADER_BYTES) {
      const length = header.readUInt32BE(1);
      if (length > messageBytes) throw tooLong(length, messageBytes);
      bytesLeft = Math.max(0, length - (HEADER_BYTES - 1));
      header = Buffer.alloc(0);
    }
    return bytes.subarray(missing);
  };
  return (bytes) => {
    for (let rest = bytes; rest.length > 0; ) rest = bytesLeft > 0 ? skip(rest) : readHeader(rest);
  };
}

function tooLong(length: number, messageBytes: number): AppError {
  const message =
    `The server sent a message of ${length} bytes, such as one row, but at most ${messageBytes} are allowed. Select less per row, ` +
    'or raise PENSTOCK_WAREHOUSE_MESSAGE_MB.';
  return new AppError('WAREHOUSE_DATA', message);
}
