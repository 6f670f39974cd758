import type { Static } from 'typebox';
import { defineEndpoint, type Endpoint, NO_PARAMETERS } from '../../http/index.ts';
import { AppError, fitsInt64, type Issue, quoteValue, refuse } from '../../kernel/index.ts';
import type { ProfileScope } from '../contract.ts';
import type { IdentityType } from '../identity-types.ts';
import type { ResolveAnswer, ResolveVerb } from '../requests/contract.ts';
import { policyOf, searchPolicyOf } from '../resolve/resolution-policy.ts';
import { ResolveBody, ResolveQuery, ResolveResponse } from './contract.ts';
import { IDENTITY_ENDPOINT, type IdentityEndpointsDeps, pathsOf, REFUSALS } from './identity-endpoint.ts';
import { readAttributes } from './read-attributes.ts';
import { readIdentities } from './read-identities.ts';

const WORDS: Readonly<Record<ResolveVerb, Readonly<Record<'summary' | 'description', string>>>> = {
  identify: {
    summary: 'Identify a person when an app starts',
    description: 'Finds or creates the profile with these identities.',
  },
  login: { summary: 'Log a person in', description: 'Finds or creates the profile of the person who logs in.' },
  logout: { summary: 'Log a person out', description: 'Returns an anonymous profile.' },
  search: {
    summary: 'Search for a profile',
    description: 'Finds the profile with these identities and changes nothing.',
  },
};

/** Returns the endpoint `POST /v1/identify`, `login`, `logout` or `search`. */
export function resolveEndpoint(deps: IdentityEndpointsDeps, verb: ResolveVerb): Endpoint {
  return defineEndpoint({
    ...IDENTITY_ENDPOINT,
    ...pathsOf(verb),
    operationId: verb,
    ...WORDS[verb],
    params: NO_PARAMETERS,
    query: ResolveQuery,
    body: ResolveBody,
    responses: { 200: ResolveResponse },
    refusals: { ...REFUSALS, ...(verb === 'search' && { 404: 'NOT_FOUND_ERROR: no profile matches.' }) },
    async handler({ body, query, caller: { workspaceId, actor, input } }) {
      const isPublic = input?.means === 'key_only';
      if (isPublic) refuseSearch(verb, query.read_only);
      const settings = await deps.settingsOf(workspaceId);
      const { spelled, ...asked } = readResolveBody(body, {
        limits: settings.limits,
        receivedMs: deps.clock.nowMs(),
        allowed: isPublic ? settings.publicKeys.attributes : 'any',
      });
      const answer = await deps.requests.resolve({
        workspaceId,
        verb,
        ...asked,
        isReadOnly: query.read_only,
        isPublic,
        // A public key proves nothing: anybody could undo an erasure with it.
        ...(verb === 'login' && settings.newLoginLifts && !isPublic && { liftsAs: actor }),
        policy: verb === 'search' ? searchPolicyOf(settings) : policyOf(settings),
      });
      const matches = query.return_matches && !isPublic ? matchesOf(answer, spelled) : {};
      return { status: 200, body: answerBody(answer, body.context ?? null, matches) };
    },
  });
}

type Body = Static<typeof ResolveBody>;
type Fields = Readonly<Record<string, unknown>> | null | undefined;

function readResolveBody(body: Body, reading: Omit<Parameters<typeof readAttributes>[1], 'issues'>) {
  const issues: Issue[] = [];
  const { known_identities, user_identities } = body as Readonly<Record<string, Fields>>;
  const { identities, spelled } = readIdentities({ known_identities, user_identities }, issues);
  const attributes = readAttributes(body as Parameters<typeof readAttributes>[0], { ...reading, issues });
  checkPreviousMpid(body.previous_mpid, issues);
  if (issues.length > 0) throw refuse(issues);
  const environment: ProfileScope['environment'] = body.environment === 'development' ? 'development' : 'production';
  return { environment, identities, spelled, ...(attributes !== undefined && { attributes }) };
}

const DIGITS = /^-?\d{1,19}$/;

/** Checks an MPID given as a number, as its digits or not at all. It is not used, but a wrong one is reported. */
function checkPreviousMpid(value: unknown, issues: Issue[]): void {
  if (value === null || value === undefined || typeof value === 'bigint') return;
  if (typeof value === 'number' && Number.isSafeInteger(value)) return;
  if (typeof value === 'string' && DIGITS.test(value) && fitsInt64(BigInt(value))) return;
  const message = `must be an MPID, a whole number of 64 bits or its digits as text, or null, is ${quoteValue(value)}`;
  issues.push({ path: 'previous_mpid', message });
}

function matchesOf({ matched }: ResolveAnswer, spelled: ReadonlyMap<IdentityType, string>) {
  return Object.fromEntries(matched.map(({ type, value }) => [spelled.get(type) ?? type, value]));
}

function answerBody(answer: ResolveAnswer, context: unknown, matches: Readonly<Record<string, string>>) {
  return {
    context,
    mpid: String(answer.mpid),
    matched_identities: matches,
    is_ephemeral: answer.isEphemeral,
    is_logged_in: answer.isLoggedIn,
  };
}

/** Refuses a search with a key alone, also in the form of a read-only request. */
function refuseSearch(verb: ResolveVerb, isReadOnly: boolean): void {
  if (verb !== 'search' && !isReadOnly) return;
  const message = 'A key alone cannot search or use read_only; sign the request, or send the secret.';
  throw new AppError('FORBIDDEN', message);
}
