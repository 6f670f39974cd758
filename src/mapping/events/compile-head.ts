import { missingFields, requiredFields } from '../../events/index.ts';
import type { Person } from '../../identity/index.ts';
import { compileLeaf, compileObject, type PartWriter } from '../cells/object-text.ts';
import type { Refusal } from '../cells/refusal.ts';
import type { Row } from '../unit-mapping.ts';
import { compileLeafCell, limitProblem } from './compile-leaf.ts';
import { compilePerson } from './compile-person.ts';
import { type EventsPlan, invalid } from './events-plan.ts';
import { type Placed, placeTree } from './place-tree.ts';

/** The part of a batch beside its events. Rows that share a batch have equal heads. */
export interface Head {
  readonly person: Omit<Person, 'setAt'>;
  /** Fields of the batch except `mpid`, `batch_id`, `timestamp_unixtime_ms` and `events`, as the text of a JSON object. */
  readonly text: string;
  /** JSON text of `timestamp_unixtime_ms`, and of `batch_id`, where the row has one. */
  readonly time: string | undefined;
  readonly batchId: string | undefined;
}

export type HeadMapper = (row: Row) => Head | Refusal;

const OWN_RULES: readonly string[] = ['mpid', 'batch_id', 'timestamp_unixtime_ms'];
const EVENT_TYPE = 'events.event_type';

/** Compiles the batch-level part of a row. Throws MODEL_INVALID where no mapping fills a required field of it. */
export function compileHead(plan: EventsPlan, batch: readonly Placed[]): HeadMapper {
  checkHead(plan, batch);
  const readPerson = compilePerson(plan, batch);
  const readTime = compileOwn(plan, batch, 'timestamp_unixtime_ms');
  const readBatchId = compileOwn(plan, batch, 'batch_id');
  const others = batch.filter(({ destination }) => !OWN_RULES.includes(destination.path[0] ?? ''));
  const write = compileObject(placeTree(others, []), {
    root: '',
    requiredFields: (path) => requiredFields(path, undefined),
    cellWriter: (leaf) => compileLeafCell(plan, leaf),
  });
  return (row) => {
    const person = readPerson(row);
    if ('rule' in person) return person;
    const text = write(row, 0n) ?? '{}';
    if (typeof text === 'object') return text;
    const time = readTime(row, 0n);
    if (typeof time === 'object') return time;
    const batchId = readBatchId(row, 0n);
    return typeof batchId === 'object' ? batchId : { person, text, time, batchId };
  };
}

export function isSameHead(one: Head, other: Head): boolean {
  return (
    one.text === other.text &&
    one.person.mpid === other.person.mpid &&
    one.time === other.time &&
    one.batchId === other.batchId
  );
}

function compileOwn(plan: EventsPlan, batch: readonly Placed[], field: string): PartWriter {
  const placed = batch.find(({ destination }) => destination.path[0] === field);
  if (placed === undefined) return () => undefined;
  return compileLeaf({ kind: 'leaf', path: field, ...placed }, { cellWriter: (leaf) => compileLeafCell(plan, leaf) });
}

function checkHead({ limits, environment }: EventsPlan, batch: readonly Placed[]): void {
  const paths = batch.map(({ destination }) => destination.path.join('.'));
  const missing = missingFields(undefined, [EVENT_TYPE, ...paths]);
  if (missing.length > 0) {
    throw invalid(`The field transformation maps nothing to ${missing.join(', ')}, which is required.`);
  }
  const problem = limitProblem(batch, limits);
  if (problem !== undefined) throw invalid(problem);
  const other = batch.find(({ destination, source }) => {
    return destination.path[0] === 'environment' && source.kind === 'static' && source.value !== environment;
  });
  if (other !== undefined) {
    throw invalid(
      `The field transformation sets another environment than the environment of the pipeline, ${environment}. Remove the mapping.`,
    );
  }
}
