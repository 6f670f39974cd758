import { defineEndpoint, type Endpoint, NO_PARAMETERS } from '../../http/index.ts';
import { fieldPath, type Issue, refuse } from '../../kernel/index.ts';
import type { IdentityChange } from '../contract.ts';
import { policyOf } from '../resolve/resolution-policy.ts';
import { ModifyBody, ModifyParams, ModifyResponse } from './contract.ts';
import { IDENTITY_ENDPOINT, type IdentityEndpointsDeps, pathsOf, REFUSALS } from './identity-endpoint.ts';
import { readIdentity } from './read-identities.ts';

/** Returns the endpoint `POST /v1/{mpid}/modify`, which makes all changes or none. */
export function modifyEndpoint(deps: IdentityEndpointsDeps): Endpoint {
  return defineEndpoint({
    ...IDENTITY_ENDPOINT,
    ...pathsOf(':mpid/modify'),
    operationId: 'modify',
    summary: 'Modify a profile’s identities',
    params: ModifyParams,
    query: NO_PARAMETERS,
    body: ModifyBody,
    responses: { 200: ModifyResponse },
    refusals: {
      ...REFUSALS,
      404: 'NOT_FOUND_ERROR: the MPID does not exist in this environment.',
    },
    async handler({ params, body, caller: { workspaceId, input } }) {
      const { identity_changes: asked, environment = 'production' } = body as Body;
      const mpid = BigInt(params.mpid);
      const policy = policyOf(await deps.settingsOf(workspaceId));
      const isPublic = input?.means === 'key_only';
      const modified = await deps.requests.modify({
        workspaceId,
        environment,
        mpid,
        policy,
        isPublic,
        changes: readChanges(asked),
      });
      const results = asked.map(({ identity_type }) => ({ identity_type, modified_mpid: String(modified) }));
      return { status: 200, body: { change_results: results } };
    },
  });
}

interface WireChange {
  readonly identity_type: string;
  readonly old_value?: unknown;
  readonly new_value?: unknown;
}

interface Body {
  readonly environment?: 'production' | 'development';
  readonly identity_changes: readonly WireChange[];
}

/**
 * Reads the changes. Null on both sides changes nothing: web clients send that for an identity that they neither had nor have.
 */
function readChanges(asked: readonly WireChange[]): readonly IdentityChange[] {
  const issues: Issue[] = [];
  const changes = asked.map(({ identity_type: name, old_value, new_value }, index) => {
    const pathOf = (field: string) => fieldPath(fieldPath('identity_changes', index), field);
    return {
      from: readIdentity({ name, path: pathOf('old_value') }, old_value, issues),
      to: readIdentity({ name, path: pathOf('new_value') }, new_value, issues),
    };
  });
  if (issues.length > 0) throw refuse(issues);
  return changes;
}
