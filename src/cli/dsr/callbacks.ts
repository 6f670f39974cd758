import { type CallbackState, callbackAnswer, callbackDeps, listCallbacks, replayCallback } from '../../dsr/index.ts';
import { createOutgoing } from '../../http/index.ts';
import { createLog } from '../../kernel/index.ts';
import type { CommandContext } from '../command.ts';
import { theWorkspace } from '../defaults.ts';
import { asOperator } from '../operator.ts';
import { processorOf, publicAddress } from './certificate.ts';

const COLUMNS = [
  'id',
  'subject_request_id',
  'request_status',
  'receiver',
  'state',
  'next_attempt_on',
  'attempts',
  'last',
];

interface Listed {
  readonly workspace?: bigint;
  readonly request?: string;
  readonly state?: CallbackState;
  readonly limit: number;
}

export async function list(context: CommandContext, { workspace, request, state, limit }: Listed): Promise<void> {
  const found = await asOperator(context, async ({ store }) =>
    listCallbacks(store, await theWorkspace(store, workspace), {
      requestId: request,
      state,
      limit,
      offset: 0,
      from: undefined,
      to: undefined,
    }),
  );
  const answers = found.map(callbackAnswer);
  if (context.output().json) return context.output().rows(COLUMNS, answers);
  context.output().rows(
    COLUMNS,
    answers.map(({ attempts, ...callback }) => ({ ...callback, attempts: attempts.length, last: lastOf(attempts) })),
  );
}

function lastOf(attempts: ReturnType<typeof callbackAnswer>['attempts']): string | undefined {
  const last = attempts.at(-1);
  return last === undefined ? undefined : (last.error ?? (last.http_status === null ? 'broken off' : 'delivered'));
}

/** Sends a callback again and shows the result. */
export async function replay(
  context: CommandContext,
  { workspace, id }: { readonly workspace: bigint | undefined; readonly id: bigint },
): Promise<void> {
  const config = context.config();
  const replayed = await asOperator(context, async (operator) => {
    const { store, clock, actor } = operator;
    const log = createLog('error', process.stderr);
    const deps = callbackDeps({
      store,
      clock,
      log,
      dsr: config.dsr,
      processor: processorOf(operator, config),
      outgoing: createOutgoing(config.outgoing),
      baseUrl: () => publicAddress(config),
    });
    const workspaceId = await theWorkspace(store, workspace);
    return replayCallback(deps, { workspaceId, id, actor }, new AbortController().signal);
  });
  const { attempts, ...callback } = callbackAnswer(replayed);
  context.output().object({ ...callback, attempts: attempts.length, last_attempt: attempts.at(-1) });
}
