import { setImmediate } from 'node:timers/promises';
import type { ChunkMemory, ProfileMemory } from './chunk-memory.ts';
import type { PersonOutcome, PreparedPeople } from './contract.ts';
import { DEFAULT_POLICY, flagsOf } from './identity-types.ts';
import { SLICE_ROWS } from './prepare-people.ts';
import { type Context, resolvePerson } from './resolve-person.ts';
import { resolveRequest } from './resolve-request.ts';
import { STRATEGIES } from './strategies.ts';

export interface Resolution {
  readonly outcomes: readonly PersonOutcome[];
  /** By person: the profile that takes what the person says; undefined: it failed, or is to change nothing. */
  readonly chosen: readonly (ProfileMemory | undefined)[];
}

/** Resolves the people in row order in memory: profiles that earlier rows made or joined are seen by later ones. */
export async function resolvePeople(
  memory: ChunkMemory,
  prepared: PreparedPeople,
  nextMpid: () => bigint,
): Promise<Resolution> {
  const policy = prepared.scope.policy ?? DEFAULT_POLICY;
  const strategy = STRATEGIES[policy.strategy];
  const context: Context = { memory, prepared, strategy, isLogin: flagsOf(policy.loginTypes), nextMpid };
  const { requests } = prepared.rows;
  const outcomes: PersonOutcome[] = [];
  const chosen: (ProfileMemory | undefined)[] = [];
  for (let i = 0; i < prepared.count; i++) {
    const request = requests.get(i);
    if (request === undefined) {
      const found = resolvePerson(context, i);
      const isProfile = 'mpid' in found;
      outcomes.push(isProfile ? { mpid: found.mpid } : found);
      chosen.push(isProfile ? found : undefined);
    } else {
      const resolved = resolveRequest(context, i, request);
      outcomes.push(resolved.outcome);
      chosen.push(resolved.chosen);
    }
    if (i % SLICE_ROWS === SLICE_ROWS - 1) await setImmediate();
  }
  return { outcomes, chosen };
}
