import type { WorkspaceSettings } from '../../access/index.ts';
import type { ResolutionPolicy } from '../contract.ts';
import { DEFAULT_POLICY, IDENTITY_TYPES } from '../identity-types.ts';

type Settings = Pick<WorkspaceSettings, 'identity'> & Partial<Pick<WorkspaceSettings, 'limits'>>;

/** How a workspace resolves people: the same for pipelines, batches and requests. Only those that set nothing have no limits. */
export function policyOf({ identity, limits }: Settings): ResolutionPolicy {
  const policy = { ...DEFAULT_POLICY, strategy: identity.strategy, priority: identity.priority };
  if (limits === undefined) return policy;
  const {
    profileIdentities: identities,
    profileAttributes: attributes,
    profileAttributeBytes: attributeBytes,
  } = limits;
  return { ...policy, bounds: { identities, attributes, attributeBytes } };
}

/** How a workspace looks for people without making any: types that its priority leaves out find them too, last. */
export function searchPolicyOf(settings: Pick<WorkspaceSettings, 'identity'>): ResolutionPolicy {
  const policy = policyOf(settings);
  const others = IDENTITY_TYPES.filter((type) => !policy.priority.includes(type));
  return { ...policy, priority: [...policy.priority, ...others] };
}
