import { setImmediate } from 'node:timers/promises';
import type { PersonFailure, PersonOutcome, PersonRequest } from '../contract.ts';
import { DEFAULT_POLICY, flagsOf } from '../identity-types.ts';
import type { PreparedPeople } from '../prepared-people.ts';
import type { ChunkMemory, ProfileMemory } from './chunk-memory.ts';
import { SLICE_ROWS } from './prepare-people.ts';
import { type Context, resolvePerson } from './resolve-person.ts';
import { resolveRequest } from './resolve-request.ts';
import { STRATEGIES } from './strategies.ts';

export interface Resolution {
  readonly outcomes: readonly PersonOutcome[];
  /** Profiles that take what each person says; undefined for a person who failed, or who is to change nothing. */
  readonly chosen: readonly (ProfileMemory | undefined)[];
}

const ERASED: PersonOutcome = { erased: true };

/** People who are refused whatever identities they carry, by index. */
export type RefusedPeople = ReadonlyMap<number, PersonFailure>;

interface Resolving {
  readonly nextMpid: () => bigint;
  readonly refused: RefusedPeople;
}

/** Resolves the people in row order in memory. Profiles that earlier rows created or joined are seen by later ones. */
export async function resolvePeople(
  memory: ChunkMemory,
  prepared: PreparedPeople,
  { nextMpid, refused }: Resolving,
): Promise<Resolution> {
  const policy = prepared.scope.policy ?? DEFAULT_POLICY;
  const strategy = STRATEGIES[policy.strategy];
  const context: Context = { memory, prepared, strategy, isLogin: flagsOf(policy.loginTypes), nextMpid };
  const { requests } = prepared.rows;
  const outcomes: PersonOutcome[] = [];
  const chosen: (ProfileMemory | undefined)[] = [];
  const areLiving = memory.tombstones.areNone;
  for (let i = 0; i < prepared.count; i++) {
    const request = requests.get(i);
    const refusal = refused.get(i);
    if (refusal !== undefined) {
      outcomes.push(refusal);
      chosen.push(undefined);
    } else if (!areLiving && staysErased(context, i, request)) {
      outcomes.push(ERASED);
      chosen.push(undefined);
    } else if (request === undefined) {
      const found = resolvePerson(context, i);
      outcomes.push(outcomeOf(found));
      chosen.push(profileOf(found));
    } else {
      const resolved = resolveRequest(context, i, request);
      outcomes.push(resolved.outcome);
      chosen.push(resolved.chosen);
    }
    if (i % SLICE_ROWS === SLICE_ROWS - 1) await setImmediate();
  }
  return { outcomes, chosen };
}

const outcomeOf = (found: ProfileMemory | PersonFailure): PersonOutcome =>
  'mpid' in found ? { mpid: found.mpid } : found;

const profileOf = (found: ProfileMemory | PersonFailure): ProfileMemory | undefined =>
  'mpid' in found ? found : undefined;

/**
 * Tells whether a person is erased: one erased identity among others is enough (D-059). A login that lifts the tombstone is
 * resolved as if nobody had been erased.
 */
function staysErased({ memory, prepared: { keys } }: Context, index: number, request?: PersonRequest): boolean {
  const { tombstones } = memory;
  if (!tombstones.isErased(keys, index)) return false;
  if (request?.liftsAs === undefined || request.isReadOnly) return true;
  tombstones.lift(keys, index, request.liftsAs);
  return false;
}
