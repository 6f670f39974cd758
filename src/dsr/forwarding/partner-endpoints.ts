import { Type } from 'typebox';
import { defineEndpoint, type Endpoint, NO_PARAMETERS, WorkspaceParam } from '../../http/index.ts';
import { PARTNER_READ_ONLY, PartnerAnswer, PartnerBody } from './contract.ts';
import { listPartners, loadPartner, partnerAnswer } from './partner.ts';
import { createPartner, deletePartner, type PartnerDeps, replacePartner } from './save-partner.ts';

const PATH = '/platform/v2/workspaces/:workspaceId/dsr/partners';
const common = { api: 'platform_v2', tag: 'Data subject requests', query: NO_PARAMETERS } as const;
const READS = { ...common, credential: 'platform_read' } as const;
const CHANGES = { ...common, credential: 'platform_admin' } as const;
const params = Type.Object({ workspaceId: WorkspaceParam });
const onePartner = Type.Object({ workspaceId: WorkspaceParam, partnerId: Type.String() });

/** Returns the endpoints of partners, to which erasures of version 3 are forwarded (D-068). */
export function partnerEndpoints(deps: PartnerDeps): readonly Endpoint[] {
  return [list(deps), get(deps), create(deps), replace(deps), remove(deps)];
}

function list({ store }: PartnerDeps): Endpoint {
  return defineEndpoint({
    ...READS,
    method: 'GET',
    path: PATH,
    params,
    operationId: 'listPartners',
    summary: 'List partners',
    responses: { 200: Type.Array(PartnerAnswer) },
    async handler({ caller: { workspaceId } }) {
      return { status: 200, body: (await listPartners(store, workspaceId)).map(partnerAnswer) };
    },
  });
}

function get({ store }: PartnerDeps): Endpoint {
  return defineEndpoint({
    ...READS,
    method: 'GET',
    path: `${PATH}/:partnerId`,
    params: onePartner,
    operationId: 'getPartner',
    summary: 'Get a partner',
    responses: { 200: PartnerAnswer },
    async handler({ caller: { workspaceId }, params: { partnerId: id } }) {
      return { status: 200, body: partnerAnswer(await loadPartner(store, { workspaceId, id })) };
    },
  });
}

function create(deps: PartnerDeps): Endpoint {
  return defineEndpoint({
    ...CHANGES,
    method: 'POST',
    path: PATH,
    params,
    operationId: 'createPartner',
    summary: 'Create a partner',
    description: 'Erasures received from now on are forwarded to the partner.',
    body: PartnerBody,
    ignoredFields: PARTNER_READ_ONLY,
    responses: { 200: PartnerAnswer },
    refusals: { 409: 'Another partner of this workspace already has that id.' },
    async handler({ caller, body }) {
      return { status: 200, body: partnerAnswer(await createPartner(deps, caller, body)) };
    },
  });
}

function replace(deps: PartnerDeps): Endpoint {
  return defineEndpoint({
    ...CHANGES,
    method: 'PUT',
    path: `${PATH}/:partnerId`,
    params: onePartner,
    operationId: 'replacePartner',
    summary: 'Replace a partner',
    description: 'A masked secret keeps the stored secret, unless the URL changes.',
    body: PartnerBody,
    ignoredFields: PARTNER_READ_ONLY,
    responses: { 200: PartnerAnswer },
    async handler({ caller, params: { partnerId: id }, body }) {
      return { status: 200, body: partnerAnswer(await replacePartner(deps, caller, { id, body })) };
    },
  });
}

function remove(deps: PartnerDeps): Endpoint {
  return defineEndpoint({
    ...CHANGES,
    method: 'DELETE',
    path: `${PATH}/:partnerId`,
    params: onePartner,
    operationId: 'deletePartner',
    summary: 'Delete a partner',
    description: 'Erasures that were not sent to the partner yet are no longer sent.',
    responses: { 204: Type.Null({ description: 'Empty body.' }) },
    async handler({ caller, params: { partnerId } }) {
      await deletePartner(deps, caller, partnerId);
      return { status: 204 };
    },
  });
}
