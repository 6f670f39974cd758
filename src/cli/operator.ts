import { userInfo } from 'node:os';
import type { AccessDeps, Actor } from '../access/index.ts';
import { createLog, systemClock } from '../kernel/index.ts';
import { resolveKeys, startStore } from '../store/index.ts';
import type { CommandContext } from './command.ts';

/** What a command works with: the same rooms and the same store as the daemon, without its workers. */
export interface Operator extends AccessDeps {
  /** Who stands in the audit log. */
  readonly actor: Actor;
}

/**
 * Runs one command on the store: the running daemon's own, the one DATABASE_URL names, or the embedded one, which is then
 * started for the command and stopped after it. Remarks go to the error output, so that answers can be piped.
 */
export async function asOperator<Result>(
  context: CommandContext,
  work: (operator: Operator) => Promise<Result>,
): Promise<Result> {
  const config = context.config();
  const log = createLog('error', process.stderr);
  const { keyRing } = await resolveKeys(config, log);
  await using store = await startStore(config, { role: 'command', log });
  return await work({ store, clock: systemClock, keyRing, actor: `cli:${userInfo().username}` });
}
