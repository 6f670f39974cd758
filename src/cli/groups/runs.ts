import {
  type GroupRun,
  groupRunAnswer,
  listGroupRuns,
  loadGroupRun,
  requestGroupRun,
  totalOf,
  workGroupRuns,
} from '../../groups/index.ts';
import { openJobSender } from '../../jobs/index.ts';
import { createLog } from '../../kernel/index.ts';
import { resolveKeys } from '../../store/index.ts';
import type { CommandContext } from '../command.ts';
import { theWorkspace } from '../defaults.ts';
import { EXIT } from '../exit-codes.ts';
import { asOperator, type Operator } from '../operator.ts';

const COLUMNS = [
  'id',
  'type',
  'status',
  'requested_on',
  'seconds',
  'groups',
  'members',
  'left_out',
  'changed_profiles',
];
/** Milliseconds after which a daemon takes the run over, should the command have been killed. */
const DAEMON_AFTER_MS = 60_000;

interface InWorkspace {
  readonly workspace?: bigint;
}

/** Works on the run in the command itself, without a daemon. A daemon may take part, or take over after a kill. */
export async function runFromCommand(context: CommandContext, { workspace }: InWorkspace): Promise<void> {
  const output = context.output();
  const run = await asOperator(context, async (operator) => {
    const workspaceId = await theWorkspace(operator.store, workspace);
    const { id } = await request(operator, workspaceId);
    const log = createLog('error', process.stderr);
    const { identityKey: key } = await resolveKeys(context.config(), log);
    await workGroupRuns(
      { ...operator, log, key },
      { workspaceId, onStep: (step) => output.progress(step === undefined ? '' : progressText(step)) },
    );
    output.progress('');
    return await loadGroupRun(operator.store, { workspaceId, id });
  });
  context.setExitCode(EXIT_OF[run.status] ?? EXIT.failed.code);
  show(context, run);
}

const EXIT_OF: Readonly<Partial<Record<GroupRun['status'], number>>> = {
  success: EXIT.ok.code,
  stopped: EXIT.stopped.code,
};

async function request(operator: Operator, workspaceId: GroupRun['workspaceId']): Promise<GroupRun> {
  const { store, clock, actor } = operator;
  await using jobs = await openJobSender({ store, clock, log: createLog('error', process.stderr) });
  return await requestGroupRun({ store, clock, jobs }, { workspaceId, actor, startAfterMs: DAEMON_AFTER_MS });
}

function progressText(run: GroupRun): string {
  const { profiles, groups, members } = totalOf(run.counts);
  return `run ${run.id}: ${profiles} profiles read, ${groups} groups, ${members} members`;
}

export async function listFromCommand(
  context: CommandContext,
  { workspace, limit }: InWorkspace & { readonly limit: number },
): Promise<void> {
  const output = context.output();
  const runs = await asOperator(context, async ({ store }) =>
    listGroupRuns(store, await theWorkspace(store, workspace), { limit, offset: 0, from: undefined, to: undefined }),
  );
  output.rows(COLUMNS, runs.map(output.json ? groupRunAnswer : rowOf));
}

function rowOf(run: GroupRun) {
  const { startedOn, endedOn } = run;
  const seconds = startedOn && endedOn ? ((endedOn.getTime() - startedOn.getTime()) / 1000).toFixed(1) : null;
  return { ...groupRunAnswer(run), seconds };
}

export async function showFromCommand(
  context: CommandContext,
  { id, workspace }: InWorkspace & { readonly id: bigint },
): Promise<void> {
  const run = await asOperator(context, async ({ store }) =>
    loadGroupRun(store, { workspaceId: await theWorkspace(store, workspace), id }),
  );
  show(context, run);
}

function show(context: CommandContext, run: GroupRun): void {
  const output = context.output();
  const { environments, ...rest } = groupRunAnswer(run);
  output.object(output.json ? { ...rest, environments } : rest);
  if (output.json) return;
  const rows = Object.entries(environments).map(([environment, counts]) => ({ environment, ...counts }));
  output.rows(['environment', 'profiles', 'groups', 'members', 'left_out', 'changed_profiles'], rows);
}
