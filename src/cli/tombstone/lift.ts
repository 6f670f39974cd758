import {
  createTombstones,
  IDENTITY_TYPES,
  identityTypeOfField,
  isDeviceId,
  isIdentity,
  liftErasure,
  normaliseIdentity,
} from '../../identity/index.ts';
import { AppError, createLog, refuse } from '../../kernel/index.ts';
import { resolveKeys } from '../../store/index.ts';
import type { CommandContext } from '../command.ts';
import { theWorkspace } from '../defaults.ts';
import { asOperator } from '../operator.ts';

interface LiftOptions {
  readonly type: string;
  readonly value: string;
  readonly workspace?: bigint;
}

/**
 * Lifts the tombstone of an erased person's identity, so that it is accepted again.
 * Throws NOT_FOUND where no erasure blocks it.
 */
export async function lift(context: CommandContext, { type, value, workspace }: LiftOptions): Promise<void> {
  const identity = readIdentity(type, value);
  const lifted = await asOperator(context, async ({ store, clock, actor }) => {
    const { identityKey } = await resolveKeys(context.config(), createLog('error', process.stderr));
    const workspaceId = await theWorkspace(store, workspace);
    const tombstones = createTombstones(identityKey);
    return await liftErasure({ store, clock, tombstones }, { workspaceId, identity, actor });
  });
  if (lifted === 0) {
    throw new AppError('NOT_FOUND', `There is no tombstone of the ${type} "${value}".`);
  }
  context.output().object({ identity_type: identity.type, tombstones_lifted: lifted });
}

function readIdentity(name: string, value: string) {
  const type = identityTypeOfField(name);
  if (type === undefined || isDeviceId(type)) {
    const types = IDENTITY_TYPES.filter((each) => !isDeviceId(each)).join(', ');
    throw refuse([{ path: 'type', message: `must be one of ${types}, but is "${name}"` }]);
  }
  const identity = normaliseIdentity(type, value);
  if (!isIdentity(identity)) throw refuse([{ path: 'value', message: identity.message }]);
  return identity;
}
