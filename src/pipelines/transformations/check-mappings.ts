// Checks the mappings of a transformation against the schema of the batch when it is saved (D-102). Pure. Paths of
// issues are those of the transformation's body.
import {
  type BatchLimits,
  type Destination,
  EVENT_TYPES,
  findDestination,
  type Leaf,
  leafProblem,
  missingFields,
} from '../../events/index.ts';
import { type Issue, type Json, kindOf } from '../../kernel/index.ts';
import { eventTypeOf, type FieldMapping } from './field-transformation.ts';

/** A mapping that has a destination, with that destination. */
interface Placed {
  readonly index: number;
  readonly mapping: Extract<FieldMapping, { readonly destination: string }>;
  readonly destination: Destination;
}

const EVENT_TYPE = 'events.event_type';

/**
 * Returns every problem at once. An undefined entry has complaints already; fields that it would have covered do not count as
 * missing.
 * With an event_type from a column, only rules that hold for every kind are checked; the others are checked row by row.
 */
export function checkMappings(mappings: readonly (FieldMapping | undefined)[], limits: BatchLimits): readonly Issue[] {
  const known = mappings.filter((mapping) => mapping !== undefined);
  const named = eventTypeOf(known);
  const eventType = EVENT_TYPES.find((type) => type === named);
  const placed: Placed[] = [];
  const issues: Issue[] = [];
  mappings.forEach((mapping, index) => {
    if (mapping === undefined || mapping.type === 'ignore') return;
    const path = `mappings[${index}].destination`;
    const found = findDestination(mapping.destination, eventType);
    const refusal = 'problem' in found ? found : RESERVED.find(({ is }) => is(found.path));
    if (refusal !== undefined) issues.push({ path, message: `"${mapping.destination}" ${refusal.problem}` });
    else if (!('problem' in found)) placed.push({ index, mapping, destination: found });
  });
  issues.push(
    ...placed.flatMap((each) => nameIssues(each, limits)),
    ...placed.flatMap((each) => staticIssues(each, limits)),
  );
  issues.push(...duplicateIssues(placed), ...ignoreIssues(mappings), ...countIssues(placed, limits));
  const isWhole =
    known.length === mappings.length && placed.length === known.filter(({ type }) => type !== 'ignore').length;
  return isWhole ? [...issues, ...missingFieldIssues(placed, eventType)] : issues;
}

/** Destinations that the pipeline itself fills. */
const RESERVED: readonly { readonly is: (path: readonly string[]) => boolean; readonly problem: string }[] = [
  {
    is: ([first]) => first === 'environment',
    problem: 'comes from the environment of the pipeline; remove the mapping',
  },
  { is: ([first]) => first === 'batch_id', problem: 'is set when the batch is stored; remove the mapping' },
  {
    is: ([first, second]) => first === 'context' && second === 'data_plan',
    problem: 'comes from data_plan_id and data_plan_version of the pipeline; remove the mapping',
  },
];

/** Returns the issue of a free key that is longer than a name may be. */
function nameIssues(
  { index, destination: { path, named } }: Placed,
  { nameCharacters }: BatchLimits,
): readonly Issue[] {
  const length = named ? [...(path.at(-1) ?? '')].length : 0;
  if (length <= nameCharacters) return [];
  const message = `has a key of ${length} characters; at most ${nameCharacters} are allowed`;
  return [{ path: `mappings[${index}].destination`, message }];
}

function staticIssues({ index, mapping, destination }: Placed, limits: BatchLimits): readonly Issue[] {
  if (mapping.type !== 'static') return [];
  const problem = staticMisfit(mapping.value, destination.leaf, limits);
  return problem === undefined
    ? []
    : [{ path: `mappings[${index}].value`, message: `${problem} (${mapping.destination})` }];
}

/**
 * Returns why a static value cannot stand in a field of the batch, as a sentence without subject and end. Returns undefined
 * where it can.
 */
function staticMisfit(value: Json, leaf: Leaf, limits: BatchLimits): string | undefined {
  // null is no static value: it means that a field of the mapping is missing
  const problemOf = leafProblem({ ...leaf, nullable: false });
  const isList = Array.isArray(value);
  if (isList && leaf.list === 'never') return 'must be a single value, but is a list';
  if (!isList && leaf.list === 'always') return `must be a list, is ${kindOf(value)}`;
  const items = [value].flat();
  return items.map((item) => problemOf(item, limits)).find((problem) => problem !== undefined);
}

/** Returns the issues of places or identities that are mapped twice, and of single values that would also hold fields. */
function duplicateIssues(placed: readonly Placed[]): readonly Issue[] {
  return placed.flatMap((later, at) => {
    const path = `mappings[${later.index}].destination`;
    for (const earlier of placed.slice(0, at)) {
      const clash = clashOf(earlier.destination, later.destination);
      if (clash !== undefined)
        return [{ path, message: `"${later.mapping.destination}" ${clash} mappings[${earlier.index}]; remove one` }];
    }
    return [];
  });
}

function clashOf(earlier: Destination, later: Destination): string | undefined {
  const shorter = Math.min(earlier.path.length, later.path.length);
  const isSame = earlier.path.slice(0, shorter).every((step, at) => step === later.path[at]);
  if (isSame) return earlier.path.length === later.path.length ? 'is also set by' : 'is one value, but has fields by';
  const { identity } = later.leaf;
  return identity !== undefined && identity === earlier.leaf.identity
    ? `means the identity ${identity}, which is also set by`
    : undefined;
}

/** Returns the issues of ignored columns that are ignored once more, or mapped. */
function ignoreIssues(mappings: readonly (FieldMapping | undefined)[]): readonly Issue[] {
  return mappings.flatMap((mapping, index) => {
    if (mapping?.type !== 'ignore') return [];
    const other = mappings.findIndex(
      (each, at) => contradicts(each, mapping.source) && (each?.type === 'column' || at < index),
    );
    if (other < 0) return [];
    const verb = mappings[other]?.type === 'ignore' ? 'ignored' : 'mapped';
    const message = `"${mapping.source}" is ${verb} by mappings[${other}]; remove one`;
    return [{ path: `mappings[${index}].source`, message }];
  });
}

function contradicts(mapping: FieldMapping | undefined, source: string): boolean {
  return mapping !== undefined && mapping.type !== 'static' && mapping.source === source;
}

function countIssues(placed: readonly Placed[], limits: BatchLimits): readonly Issue[] {
  const count = (prefix: string) =>
    placed.filter(({ destination }) => destination.path.slice(0, -1).join('.') === prefix).length;
  return [
    { prefix: 'events.data.custom_attributes', most: limits.attributesPerEvent },
    { prefix: 'user_attributes', most: limits.userAttributesPerBatch },
  ].flatMap(({ prefix, most }) =>
    count(prefix) > most
      ? [{ path: 'mappings', message: `${count(prefix)} keys go to ${prefix}; at most ${most} are allowed` }]
      : [],
  );
}

function missingFieldIssues(placed: readonly Placed[], eventType: string | undefined): readonly Issue[] {
  const paths = placed.map(({ mapping }) => mapping.destination);
  const fields = missingFields(eventType, paths)
    // The server adds it when it is absent (D-029).
    .filter((field) => field !== 'source_info.channel')
    .map((field) => `no mapping sets ${field}, ${whyRequired(field, eventType)}`);
  const hasIdentity = placed.some(
    ({ destination: { leaf, path } }) => leaf.identity !== undefined || path[0] === 'mpid',
  );
  return [...fields, ...(hasIdentity ? [] : [NO_IDENTITY])].map((message) => ({ path: 'mappings', message }));
}

const NO_IDENTITY =
  'no mapping sets an identity, so the events have no person; map a column to user_identities.<type>, such as ' +
  'user_identities.customer_id, to a device id such as mp_deviceid, or to mpid';

function whyRequired(field: string, eventType: string | undefined): string {
  if (field === EVENT_TYPE) return `which is required; it is one of ${EVENT_TYPES.join(', ')}`;
  return eventType === undefined ? 'which is required' : `which an event of type ${eventType} requires here`;
}
