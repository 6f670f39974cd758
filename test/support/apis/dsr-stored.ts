import { loadRequest } from '../../../src/dsr/load-request.ts';
import { openSubject } from '../../../src/dsr/request.ts';
import type { DsrApi } from './dsr-api.ts';

/** A request as it is stored, its subject decrypted. */
export async function storedRequest({ access, workspaceId }: DsrApi, id: string) {
  const row = await loadRequest(access.store, workspaceId, id);
  return { row, subject: openSubject(access.keyRing, row) };
}
