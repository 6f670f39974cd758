import type { WorkspaceSettings } from '../../access/index.ts';
import type { ResolutionPolicy } from '../contract.ts';
import { DEFAULT_POLICY, IDENTITY_TYPES } from '../identity-types.ts';

type Settings = Pick<WorkspaceSettings, 'identity'> & Partial<Pick<WorkspaceSettings, 'limits'>>;

/**
 * Returns the policy by which a workspace resolves people: the same for pipelines, batches and requests. Callers that set
 * nothing leave the limits out.
 */
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

/** Returns the policy of a search, which creates nobody. Types that the priority leaves out find people too, last. */
export function searchPolicyOf(settings: Pick<WorkspaceSettings, 'identity'>): ResolutionPolicy {
  const policy = policyOf(settings);
  const others = IDENTITY_TYPES.filter((type) => !policy.priority.includes(type));
  return { ...policy, priority: [...policy.priority, ...others] };
}
