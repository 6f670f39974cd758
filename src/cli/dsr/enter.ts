import { readFile } from 'node:fs/promises';
import type { Config } from '../../config.ts';
import {
  type Entry,
  type ErasurePreview,
  enterRequest,
  type OfficerDeps,
  previewEntry,
  previewRequest,
} from '../../dsr/index.ts';
import { createOutgoing } from '../../http/index.ts';
import { AppError, asAppError, refuse, type WorkspaceId } from '../../kernel/index.ts';
import type { CommandContext } from '../command.ts';
import { theWorkspace } from '../defaults.ts';
import { EXIT } from '../exit-codes.ts';
import { asOperator, type Operator } from '../operator.ts';
import { type EntryOptions, entriesOfCsv, entryOfOptions } from './entries.ts';

interface InWorkspace {
  readonly workspace?: bigint;
}

function depsOf(operator: Operator, { outgoing, dsr }: Config): OfficerDeps {
  return { ...operator, outgoing: createOutgoing(outgoing), dsr };
}

const text = (file: string): Promise<string> =>
  readFile(file, 'utf8').catch((cause: unknown) => {
    throw new AppError('VALIDATION_FAILED', `${file} cannot be read: ${String(cause)}`, { cause });
  });

/**
 * Creates one request, or one for each row of a CSV. A refused row does not keep the others away, but the command then fails.
 */
export async function create(
  context: CommandContext,
  { csv, workspace, ...options }: EntryOptions & InWorkspace & { readonly csv?: string },
): Promise<void> {
  const config = context.config();
  const entries = csv === undefined ? [entryOfOptions(options)] : entriesOfCsv(await text(csv), options);
  const entered = await asOperator(context, async (operator) => {
    const workspaceId = await theWorkspace(operator.store, workspace);
    const enter = (entry: Entry) =>
      enterRequest(depsOf(operator, config), { workspaceId, actor: operator.actor, entry });
    if (csv === undefined) return [answerOf(1, await enter(entries[0] as Entry))];
    const answers: object[] = [];
    for (const [index, entry] of entries.entries()) {
      answers.push(
        await enter(entry).then(
          (request) => answerOf(index + 1, request),
          (error: unknown) => refusedRow(index + 1, error),
        ),
      );
    }
    return answers;
  });
  const output = context.output();
  if (csv === undefined) return output.object(entered[0] as Record<string, unknown>);
  output.rows(['row', 'result', 'subject_request_id', 'starts_on', 'expected_completion_time', 'reason'], entered);
  if (entered.some((row) => 'reason' in row)) context.setExitCode(EXIT.failed.code);
}

type Entered = Awaited<ReturnType<typeof enterRequest>>;

function answerOf(row: number, { id, type, startsOn, expectedCompletionOn }: Entered) {
  return {
    row,
    result: 'created',
    subject_request_id: id,
    subject_request_type: type,
    starts_on: startsOn,
    expected_completion_time: expectedCompletionOn,
  };
}

/** Returns the result of a refused row. Throws any other error, such as an unreachable store, which ends the command. */
function refusedRow(row: number, error: unknown) {
  const { disposition, message } = asAppError(error);
  if (disposition !== 'refused') throw error;
  return { row, result: 'refused', reason: message };
}

/** Shows what an erasure would remove, for a request or for a person named by identities. */
export async function preview(
  context: CommandContext,
  { id, workspace, identity }: InWorkspace & { readonly id?: string; readonly identity?: readonly string[] },
): Promise<void> {
  const config = context.config();
  if ((id === undefined) === (identity === undefined)) {
    throw refuse([{ path: '', message: 'Give the id of a request, or --identity for a person without a request.' }]);
  }
  const found = await asOperator(context, async (operator) => {
    const workspaceId: WorkspaceId = await theWorkspace(operator.store, workspace);
    const place = { workspaceId, signal: new AbortController().signal };
    if (id !== undefined) return previewRequest(depsOf(operator, config), id, place);
    const entry = entryOfOptions({ type: 'erasure', regulation: 'gdpr', identity: identity ?? [] });
    return previewEntry(depsOf(operator, config), entry, place);
  });
  show(context, found);
}

const ORDINARY = ['identity_type', 'identity', 'profiles', 'batches', 'usual', 'tombstone'];

function show(context: CommandContext, preview: ErasurePreview): void {
  const output = context.output();
  const { people, counts, sharing } = preview;
  const ordinary = preview.ordinary.map(({ type, value, profiles, batches, isFiller, isUsual }) => ({
    identity_type: type,
    identity: value,
    profiles,
    batches,
    usual: isUsual,
    tombstone: !isFiller,
  }));
  if (output.json) {
    output.object({ people, counts, ordinary, sharing });
    return;
  }
  for (const { environment, mpid } of people) output.line(`${environment} profile ${mpid}`);
  if (people.length === 0) output.note('No profile has such an identity.');
  output.rows(['room', 'what', 'count'], countRows(counts));
  if (ordinary.length > 0) {
    output.note(
      'Values that may stand for nobody, and who else has them; with a tombstone, later rows that carry one are dropped as erased:',
    );
    output.rows(ORDINARY, ordinary);
  }
  for (const { environment, mpid, types } of sharing) {
    output.note(
      `The ${environment} profile ${mpid} has the same ${types.join(', ')} and is kept; check whether it is the same person.`,
    );
  }
}

/** Returns one row for each count. */
export function countRows(counts: ErasurePreview['counts']): readonly object[] {
  return Object.entries(counts).flatMap(([room, kinds]) =>
    Object.entries(kinds).map(([what, count]) => ({ room, what, count })),
  );
}
