// Codes of Node's sockets, name lookups and TLS, which mean the same for every warehouse.
import type { ErrorCode } from '../../src/kernel/index.ts';

/** Meaning of a failure, with what the owner of the connection can do about it. */
export interface SocketFault {
  readonly code: ErrorCode;
  readonly advice?: string | undefined;
}

/** Advice that differs by connector: the fields that hold the server's address, and the fault of a refused certificate. */
export interface SocketWords {
  readonly address?: string;
  readonly certificate: SocketFault;
}

/** Prefixes of codes; no code has two of them. */
export const SOCKET_CODES: Readonly<Record<string, ErrorCode | keyof SocketWords>> = {
  ECONNREFUSED: 'address',
  ENOTFOUND: 'address',
  EAI_: 'WAREHOUSE_UNREACHABLE',
  ETIMEDOUT: 'WAREHOUSE_UNREACHABLE',
  ECONNABORTED: 'WAREHOUSE_UNREACHABLE',
  EHOST: 'WAREHOUSE_UNREACHABLE',
  ENET: 'WAREHOUSE_UNREACHABLE',
  EADDR: 'WAREHOUSE_UNREACHABLE',
  EPROTO: 'WAREHOUSE_UNREACHABLE',
  ERR_SSL: 'WAREHOUSE_UNREACHABLE',
  ECONNRESET: 'WAREHOUSE_SESSION_LOST',
  EPIPE: 'WAREHOUSE_SESSION_LOST',
  ERR_STREAM: 'WAREHOUSE_SESSION_LOST',
  EMFILE: 'WAREHOUSE_THROTTLED',
  ERR_TLS: 'certificate',
  CERT_: 'certificate',
  DEPTH_ZERO: 'certificate',
  SELF_SIGNED: 'certificate',
  UNABLE_TO: 'certificate',
};

/** Returns undefined for a code that no socket has. */
export function socketFaultOf(code: string, { address, certificate }: SocketWords): SocketFault | undefined {
  const [, fault] = Object.entries(SOCKET_CODES).find(([beginning]) => code.startsWith(beginning)) ?? [];
  switch (fault) {
    case undefined:
      return undefined;
    case 'address':
      return { code: 'WAREHOUSE_UNREACHABLE', advice: address };
    case 'certificate':
      return certificate;
    default:
      return { code: fault };
  }
}
