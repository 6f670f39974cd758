import type { WorkspaceSettings } from '../access/index.ts';
import type { ResolutionPolicy } from './contract.ts';
import { DEFAULT_POLICY, IDENTITY_TYPES } from './identity-types.ts';

/** How a workspace resolves people: the same for pipelines, batches and requests. */
export function policyOf({ identity }: Pick<WorkspaceSettings, 'identity'>): ResolutionPolicy {
  return { ...DEFAULT_POLICY, strategy: identity.strategy, priority: identity.priority };
}

/** How a workspace looks for people without making any: types that its priority leaves out find them too, last. */
export function searchPolicyOf(settings: Pick<WorkspaceSettings, 'identity'>): ResolutionPolicy {
  const policy = policyOf(settings);
  const others = IDENTITY_TYPES.filter((type) => !policy.priority.includes(type));
  return { ...policy, priority: [...policy.priority, ...others] };
}
