import { type Actor, readSettings } from '../../access/index.ts';
import { createTombstoneKeys } from '../../identity/index.ts';
import { refuse, type Secret, type WorkspaceId, workspaceId as workspaceOf } from '../../kernel/index.ts';
import { type CreateDeps, createRequest } from '../create-request.ts';
import { loadRequest } from '../load-request.ts';
import { type ErasurePreview, previewErasure } from '../preview-erasure.ts';
import { openSubject, type Request, type Subject } from '../request.ts';
import { extensionNames } from '../routes/dsr-endpoint.ts';
import { type Entry, readEntry } from './entry.ts';

export interface OfficerDeps extends Omit<CreateDeps, 'keys'> {
  readonly identityKey: Secret;
  readonly dsr: {
    readonly domain: string;
    readonly domainAliases: readonly string[];
    readonly fillerCarriers: number;
  };
}

interface Entering {
  readonly workspaceId: WorkspaceId;
  readonly actor: Actor;
  readonly entry: Entry;
}

/** Creates a request as the API would. Throws what `createRequest` throws, and VALIDATION_FAILED for a wrong entry. */
export async function enterRequest(deps: OfficerDeps, { workspaceId, actor, entry }: Entering): Promise<Request> {
  const entered = readEntry(entry, extensionNames(deps, 3), deps.clock.nowMs());
  const keys = createTombstoneKeys(deps.identityKey);
  return await createRequest({ ...deps, keys }, { workspaceId, actor, ...entered });
}

interface Previewing {
  readonly workspaceId: WorkspaceId;
  readonly signal: AbortSignal;
}

/** Counts what an erasure of a person would remove now, without a request for it. */
export async function previewEntry(
  deps: OfficerDeps,
  entry: Entry,
  { workspaceId, signal }: Previewing,
): Promise<ErasurePreview> {
  const { draft } = readEntry(entry, extensionNames(deps, 3), deps.clock.nowMs());
  return await preview(deps, { request: { workspaceId, version: 3 }, subject: draft.subject }, signal);
}

/**
 * Counts what the erasure of a stored request would remove now. Throws NOT_FOUND, and VALIDATION_FAILED once its subject was
 * dropped.
 */
export async function previewRequest(
  deps: OfficerDeps,
  id: string,
  { workspaceId, signal }: Previewing,
): Promise<ErasurePreview> {
  const request = await loadRequest(deps.store, workspaceId, id);
  const subject = openSubject(deps.keyRing, request);
  if (subject === undefined) {
    const message = `The request is ${request.status}, so its identities are no longer stored; its evidence shows what was removed.`;
    throw refuse([{ path: '', message }]);
  }
  return await preview(deps, { request, subject }, signal);
}

interface About {
  readonly request: Pick<Request, 'workspaceId' | 'version'>;
  readonly subject: Subject;
}

async function preview(
  { store, clock, identityKey, dsr }: OfficerDeps,
  { request, subject }: About,
  signal: AbortSignal,
) {
  const settings = await readSettings(store, workspaceOf(request.workspaceId), {});
  const { fillerCarriers } = dsr;
  return await previewErasure(store, { request, subject, clock, identityKey, settings, fillerCarriers }, signal);
}
