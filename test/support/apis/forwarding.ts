// Forwarding as a daemon does it, over a store of its own and a partner that receives.

import { createProcessor } from '../../../src/dsr/certificates/create-processor.ts';
import type { PartnerAuth } from '../../../src/dsr/forwarding/contract.ts';
import { queueForwards } from '../../../src/dsr/forwarding/queue-forwards.ts';
import { readForwarding } from '../../../src/dsr/forwarding/read-forwarding.ts';
import { createPartner } from '../../../src/dsr/forwarding/save-partner.ts';
import { type ForwardDeps, sendForwards } from '../../../src/dsr/forwarding/send-forwards.ts';
import { type Request, type Subject, sealSubject } from '../../../src/dsr/request.ts';
import { setStatus } from '../../../src/dsr/set-status.ts';
import type { Caller } from '../../../src/http/index.ts';
import { createLog } from '../../../src/kernel/index.ts';
import { insertRequest } from './dsr-requests.ts';
import { openTestAccess, someWorkspace, type TestAccess } from './test-access.ts';
import { openTestPartner, outgoingToPartner, type TestPartner } from './test-partner.ts';

export const ADA: Subject = {
  identities: [
    { name: 'email', type: 'email', value: 'Ada@example.com' },
    { name: 'roku_publishing_id', type: 'roku_publisher_id', value: 'r-1' },
    { name: 'other2', type: 'other_id_2', value: 'o+2/=' },
  ],
  mpids: [],
};

export interface Forwarding extends AsyncDisposable {
  readonly access: TestAccess;
  readonly caller: Caller;
  readonly deps: ForwardDeps;
  readonly partner: TestPartner;
  /** As if nothing had been done yet. */
  reset(): Promise<void>;
  bodyOf(id: string, more?: object): Parameters<typeof createPartner>[2];
  addPartner(id?: string, more?: object): ReturnType<typeof createPartner>;
  /** A request as it is taken: with its forwards. */
  receive(subject?: Subject, more?: object): Promise<Request>;
  send(request: Request, by?: Partial<ForwardDeps>, signal?: AbortSignal): Promise<void>;
  /** Status and message of each partner. */
  extensions(request: Pick<Request, 'id'>): Promise<readonly (readonly [string, string])[] | undefined>;
  stored(): Promise<
    readonly { readonly body: string | null; readonly detail: string | null; readonly due: Date | null }[]
  >;
  move(request: Request, next: 'cancelled' | 'completed'): Promise<Request | undefined>;
}

export async function openForwarding(): Promise<Forwarding> {
  const access = await openTestAccess();
  const partner = await openTestPartner();
  const caller = { actor: 'tester', workspaceId: (await someWorkspace(access)).workspaceId };
  const { workspaceId } = caller;
  const { store, keyRing, clock } = access;
  const log = createLog('silent');
  const processor = createProcessor({ ...access, log, domain: 'penstock.test' });
  const outgoing = outgoingToPartner();
  const deps: ForwardDeps = { ...access, log, random: () => 1, outgoing, processor };
  const bodyOf: Forwarding['bodyOf'] = (id, more = {}) => ({
    ...{ id, name: `The ${id}`, domain: `${id}.example.com`, url: partner.url, auth: { type: 'none' } as PartnerAuth },
    ...{ identity_types: ['email'], ...more },
  });
  return {
    ...{ access, caller, deps, partner, bodyOf },
    async reset() {
      for (const table of ['dsr_forwards', 'dsr_partners', 'dsr_callbacks', 'dsr_requests']) {
        await store.execute(`DELETE FROM ${table}`);
      }
      partner.received.length = 0;
      partner.answer = { status: 202 };
    },
    addPartner: (id = 'mail', more = {}) => createPartner({ ...access, outgoing }, caller, bodyOf(id, more)),
    async receive(subject = ADA, more = {}) {
      const id = crypto.randomUUID();
      const request = await insertRequest(store, {
        ...{ workspaceId, id, type: 'erasure', status: 'pending', receivedOn: new Date(clock.nowMs()) },
        subject: sealSubject(keyRing, { workspaceId, id }, subject),
        callbackUrls: ['https://controller.example.com/callback'],
        ...more,
      });
      await store.transaction((tx) => queueForwards(tx, keyRing, request));
      return request;
    },
    send: (request, by = {}, signal = new AbortController().signal) =>
      sendForwards({ ...deps, ...by }, { workspaceId, requestId: request.id }, signal),
    async extensions({ id }) {
      const found = await readForwarding(store, { workspaceId, ids: [id] });
      return found.get(id)?.map(({ status, status_message: message }) => [status, message] as const);
    },
    stored: () => store.query('SELECT body, detail, next_attempt_on AS due FROM dsr_forwards ORDER BY partner_id'),
    move: (request, next) => store.transaction((tx) => setStatus(tx, request, { next, nowMs: clock.nowMs() })),
    async [Symbol.asyncDispose]() {
      await partner[Symbol.asyncDispose]();
      await access[Symbol.asyncDispose]();
    },
  };
}
