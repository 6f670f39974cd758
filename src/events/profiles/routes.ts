import { type Static, Type } from 'typebox';
import { defineEndpoint, type Endpoint, Int64, PageQuery, readPage, WorkspaceParam } from '../../http/index.ts';
import {
  IDENTITY_TYPES,
  type Identity,
  identityTypeOfColumn,
  isIdentity,
  normaliseIdentity,
} from '../../identity/index.ts';
import { type Issue, refuse, wantedOneOf } from '../../kernel/index.ts';
import { BatchesQuery, BatchLine, ExportQuery, ProfileLine } from '../export/contract.ts';
import { type Export, type ExportDeps, exportBatches } from '../export/export-batches.ts';
import { exportProfiles } from '../export/export-profiles.ts';
import { ProfilesPage, ProfileWithBatches } from './contract.ts';
import { type LookUpDeps, lookUpProfile, searchProfiles } from './look-up.ts';
import { profileAnswer } from './profile-answer.ts';

export type ProfileEndpointsDeps = LookUpDeps & ExportDeps;

const BASE = '/platform/v2/workspaces/:workspaceId';
const READS = { api: 'platform_v2', method: 'GET', credential: 'platform_read', tag: 'Profiles and batches' } as const;
const params = Type.Object({ workspaceId: WorkspaceParam });
const MOST_BATCHES = 100;

/**
 * Returns the endpoints that look profiles up, for support and operators, and that export everything that is stored.
 */
export function profileEndpoints(deps: ProfileEndpointsDeps): readonly Endpoint[] {
  return [getProfile(deps), listProfiles(deps), getBatches(deps)];
}

function getProfile(deps: ProfileEndpointsDeps): Endpoint {
  return defineEndpoint({
    ...READS,
    path: `${BASE}/profiles/:mpid`,
    operationId: 'getProfile',
    summary: 'Get a profile',
    params: Type.Object({ workspaceId: WorkspaceParam, mpid: Int64({ description: 'The MPID, in decimal.' }) }),
    query: Type.Object({
      environment: ExportQuery.environment,
      batches: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: MOST_BATCHES,
          default: 10,
          description: 'Includes its newest batches. The audit log keeps who asked. How many of the newest batches.',
        }),
      ),
    }),
    responses: { 200: ProfileWithBatches },
    async handler({ caller, params: { mpid }, query: { environment, batches = 10 } }) {
      return { status: 200, body: await lookUpProfile(deps, caller, { mpid: BigInt(mpid), environment, batches }) };
    },
  });
}

const SearchQuery = Type.Object({
  identity_type: Type.Optional(Type.String({ description: `With \`identity\`: ${IDENTITY_TYPES.join(', ')}.` })),
  identity: Type.Optional(Type.String({ description: 'The value to look for; e-mail in any case.' })),
  currentPage: PageQuery.properties.currentPage,
  pageSize: PageQuery.properties.pageSize,
  ...ExportQuery,
});

function listProfiles(deps: ProfileEndpointsDeps): Endpoint {
  return defineEndpoint({
    ...READS,
    path: `${BASE}/profiles`,
    params,
    query: SearchQuery,
    operationId: 'listProfiles',
    summary: 'List profiles',
    description: [
      'With `identity_type` and `identity`: a page of the profiles that hold it, its owner first, of production unless',
      '`environment` says otherwise; each stands in the audit log. Without: an export of all profiles as NDJSON, which goes',
      'on behind `cursor`; it stands in the audit log once. `startDate` and `endDate` are bounds of `created_on`.',
    ].join(' '),
    responses: { 200: ProfilesPage },
    streams: { line: ProfileLine, description: 'A page of profiles, or all of them, one a line.' },
    async handler({ caller, query }) {
      if (query.identity_type === undefined && query.identity === undefined)
        return answerOf(await exportProfiles(deps, caller, query));
      const { limit, offset } = readPage(query);
      const search = { environment: query.environment ?? 'production', identity: readIdentity(query), limit, offset };
      const items = (await searchProfiles(deps, caller, search)).map(profileAnswer);
      return { status: 200, body: { items } };
    },
  });
}

/** Returns the identity to search for. Throws VALIDATION_FAILED. */
function readIdentity({ identity_type: name, identity: value }: Static<typeof SearchQuery>): Identity {
  const type = name === undefined ? undefined : identityTypeOfColumn(name);
  const issues: Issue[] = [];
  if (type === undefined) issues.push({ path: 'identity_type', message: wantedOneOf(IDENTITY_TYPES, name) });
  if (value === undefined)
    issues.push({ path: 'identity', message: 'is required with identity_type: the value to look for' });
  if (type === undefined || value === undefined) throw refuse(issues);
  const identity = normaliseIdentity(type, value);
  if (isIdentity(identity)) return identity;
  throw refuse([{ path: 'identity', message: identity.message }]);
}

function getBatches(deps: ProfileEndpointsDeps): Endpoint {
  return defineEndpoint({
    ...READS,
    path: `${BASE}/batches`,
    params,
    query: BatchesQuery,
    operationId: 'exportBatches',
    summary: 'Export batches',
    description: [
      'All batches in order of receipt, one a line; the audit log keeps who asked.',
      'Goes on behind `cursor` and never leaves a batch out or sends one twice, however many arrive meanwhile: it ends at the',
      'time up to which every delivery is over, which the header Penstock-Complete-Until names; the next export goes on from',
      'there. With `limit` there is no such header: go on behind the last line. `startDate` and `endDate` are bounds of `received_on`.',
    ].join(' '),
    responses: {},
    streams: { line: BatchLine, description: 'Batches, one a line.' },
    async handler({ caller, query, signal }) {
      return answerOf(await exportBatches(deps, caller, { query, signal }));
    },
  });
}

function answerOf({ completeUntil, lines }: Export) {
  const headers = completeUntil === undefined ? {} : { 'penstock-complete-until': completeUntil.toISOString() };
  return { status: 200, lines, headers };
}
