// Errors of the verbs, which name fields and states as version 2 does, in the words of version 1. Pure, except `renderRefusals` and `renderStopped`, which wait.
import { AppError, type Issue, messageWith, refuse, type Worded } from '../kernel/index.ts';
import type { PipelineContext } from '../pipelines/index.ts';
import { WAREHOUSES } from './warehouses.ts';

/** Names of version 1 by those of version 2, as they stand in paths and messages. */
export type FieldNames = Readonly<Record<string, string>>;

/** No two warehouses have different names for one field. */
const CONFIG_NAMES: FieldNames = Object.assign({}, ...WAREHOUSES.map(({ fields }) => fields));

/** Does `work`, and names the fields of its refusals as version 1 does. */
export async function renderRefusals<Result>(names: FieldNames, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof AppError)) throw thrown;
    if (thrown.code === 'VALIDATION_FAILED') throw refuse(thrown.issues.map((issue) => renderIssue(names, issue)));
    if (thrown.code !== 'WAREHOUSE_UNREACHABLE') throw thrown;
    throw new AppError(thrown.code, renderMessage(names, thrown), { cause: thrown });
  }
}

function renderIssue(names: FieldNames, issue: Issue): Issue {
  return { path: nameOf(names, issue.path) ?? issue.path, message: renderMessage(names, issue) };
}

/** Returns the message with the fields as version 1 names them; a field of `config` that it lacks is said to be version 2's. */
export function renderMessage(names: FieldNames, words: Worded): string {
  return messageWith(words, (field) => nameOf(names, field) ?? (configField(field) ? `${field} (version 2)` : field));
}

function nameOf(names: FieldNames, field: string): string | undefined {
  return ownName(names, field) ?? ownName(CONFIG_NAMES, configField(field) ?? '');
}

function ownName(names: FieldNames, field: string): string | undefined {
  return Object.hasOwn(names, field) ? names[field] : undefined;
}

function configField(field: string): string | undefined {
  return field.startsWith('config.') ? field.slice('config.'.length) : undefined;
}

/** The iterator of a pipeline is its model's load timestamp where it follows that. */
const FOLLOWED: FieldNames = {
  iterator_field: 'load_timestamp_field_name',
  iterator_data_type: 'load_timestamp_field_type',
  iterator_time_zone: 'load_timestamp_field_time_zone',
};

/** Returns one reason why a pipeline is faulted. */
export function renderFault({ pipeline }: Pick<PipelineContext, 'pipeline'>, fault: Worded): string {
  return renderMessage(pipeline.kept.followsModel === true ? FOLLOWED : {}, fault);
}

/** Does `work`, a trigger or a retry. The refusal of a stopped pipeline names the request of version 1 that fixes it. */
export async function renderStopped<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (thrown) {
    if (!(thrown instanceof AppError) || thrown.code !== 'PIPELINE_NOT_IDLE') throw thrown;
    const message = 'part' in thrown.parameters ? stoppedMessage(thrown) : renderMessage(SCHEDULE, thrown);
    throw new AppError(thrown.code, message, { cause: thrown });
  }
}

const SCHEDULE: FieldNames = { 'schedule.end': 'schedule_end_time' };

function stoppedMessage({ parameters: { part, id, state, pipeline } }: AppError): string {
  if (part !== 'pipeline') {
    const wayOut = `The ${part} "${id}" is ${state}, a state that only version 2 can change; PUT it there with state active.`;
    return `The pipeline "${pipeline}" is stopped. ${wayOut}`;
  }
  return state === 'new'
    ? `The pipeline "${id}" is a draft; PUT it with is_draft false and is_active true.`
    : `The pipeline "${id}" is not active; PUT it with is_active true.`;
}
