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
    description: 'Includes the newest batches of the profile. The audit log records the request.',
    params: Type.Object({ workspaceId: WorkspaceParam, mpid: Int64({ description: 'The MPID, in decimal.' }) }),
    query: Type.Object({
      environment: ExportQuery.environment,
      batches: Type.Optional(
        Type.Integer({
          minimum: 0,
          maximum: MOST_BATCHES,
          default: 10,
          description: 'Number of newest batches to include.',
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
  identity: Type.Optional(Type.String({ description: 'Value of the identity; e-mail ignores case.' })),
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
      'With `identity_type` and `identity`: a page of the profiles with this identity, its owner first. Searches production unless',
      '`environment` is given. The audit log records each search. Without them: an export of all profiles as NDJSON that continues',
      'after `cursor`. The audit log records it once. `startDate` and `endDate` limit `created_on`.',
    ].join(' '),
    responses: { 200: ProfilesPage },
    streams: { line: ProfileLine, description: 'A page of profiles, or all profiles, one per line.' },
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
    issues.push({ path: 'identity', message: 'is required together with identity_type; give the value to search for' });
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
      'All batches in order of receipt, one per line, continuing after `cursor`. The audit log records the request.',
      'No batch is missed or sent twice, even if batches arrive during the export: it ends at a time before which all deliveries',
      'have ended. The header Penstock-Complete-Until names that time, and the next export continues from there. With `limit`',
      'the header is missing: continue after the last line. `startDate` and `endDate` limit `received_on`.',
    ].join(' '),
    responses: {},
    streams: { line: BatchLine, description: 'Batches, one per line.' },
    async handler({ caller, query, signal }) {
      return answerOf(await exportBatches(deps, caller, { query, signal }));
    },
  });
}

function answerOf({ completeUntil, lines }: Export) {
  const headers = completeUntil === undefined ? {} : { 'penstock-complete-until': completeUntil.toISOString() };
  return { status: 200, lines, headers };
}
