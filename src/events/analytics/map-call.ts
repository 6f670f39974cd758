import type { Json } from '../../kernel/index.ts';
import type { Call, CallFields } from './call-contract.ts';
import { type CallPlan, DATA_STEPS, FILLED_UP, planOf } from './call-plans.ts';
import { type CompiledLine, findValue, type Steps, valueAt } from './compile-lines.ts';
import { isFields } from './conversions.ts';
import { addFree, type Draft, type Origins, pathOf, setAt } from './draft.ts';
import { eventTimeMs } from './event-time.ts';
import { PLATFORM_FIELDS } from './field-lines.ts';
import { attributeOf, singleOf } from './fit-value.ts';
import type { Mapping, Reading } from './mapping.ts';
import { placeList } from './place-list.ts';
import { findPlatform, type Platform } from './platforms.ts';

/**
 * Maps a valid call to a batch (field-lines.ts, track-names.ts) with one event, or with none for an identity request.
 * Fields without a place of their own are kept: other properties become custom_attributes, other fields of the context
 * custom_flags, other traits user attributes. Few bounds are checked here (`findValue`); `checkBatch` checks the rest.
 * Writes to `origins` from which field of the call each field of the batch came.
 */
export function mapCall(given: Call, { arrival, limits }: Reading, origins?: Origins): Draft {
  const call = given.type === 'identify' ? withTraitsOfContext(given.fields) : given.fields;
  const eventMs = eventTimeMs(call, arrival);
  const plan = planOf(given);
  const draft: Draft = { timestamp_unixtime_ms: eventMs };
  const { nameCharacters } = limits;
  const platform = platformOf(call);
  const mapping: Mapping = { call, draft, eventMs, platform, taken: new Set(), nameCharacters, origins };
  if (plan.eventType !== undefined) {
    draft.events = [{ event_type: plan.eventType, data: { timestamp_unixtime_ms: eventMs } }];
  }
  for (const [steps, value] of plan.fixed) setAt(draft, steps, value);
  if (plan.list !== undefined) placeList(mapping, plan.list);
  placeLines(mapping, plan.lines);
  fillUp(mapping, plan);
  placeOthers(mapping, plan);
  return draft;
}

/** Adds the context's traits to those of an identify call: RudderStack's older SDKs send them only there. */
function withTraitsOfContext(call: CallFields): CallFields {
  const { traits } = isFields(call.context) ? call.context : {};
  return isFields(traits) ? { ...call, traits: { ...traits, ...(isFields(call.traits) ? call.traits : {}) } } : call;
}

function platformOf(call: CallFields): Platform | undefined {
  const names = PLATFORM_FIELDS.map((name) => findPlatform(valueAt(call, name.split('.'))));
  return names.find((platform) => platform !== undefined);
}

/** Puts the values of lines in place. One field may serve several lines; lines of a list have taken their fields before. */
function placeLines(mapping: Mapping, lines: readonly CompiledLine[]): void {
  const took: string[] = [];
  for (const line of lines) {
    const found = findValue(line, mapping.call, mapping);
    if (found === undefined) continue;
    setAt(mapping.draft, line.to, found.value);
    mapping.origins?.set(pathOf(line.to), found.name);
    if (line.copy !== true) took.push(found.name);
  }
  for (const name of took) mapping.taken.add(name);
}

function fillUp({ draft }: Mapping, { unnamed }: CallPlan): void {
  for (const [steps, names] of FILLED_UP) {
    const there = valueAt(draft, steps);
    if (isFields(there)) {
      for (const name of names) if (there[name] === undefined) setAt(draft, [...steps, name], null);
    }
  }
  const name: Steps = [...DATA_STEPS, 'event_name'];
  if (unnamed !== undefined && valueAt(draft, name) === undefined) setAt(draft, name, unnamed);
}

function placeOthers(mapping: Mapping, { others, eventType }: CallPlan): void {
  const { call, draft, taken, origins } = mapping;
  if (others !== undefined) {
    const [name, to] = others;
    const fields = Object.entries(isFields(call[name]) ? call[name] : {});
    const left = fields.filter(([field]) => !taken.has(`${name}.${field}`));
    const write = eventType === undefined ? attributeOf : singleOf;
    addFree(
      draft,
      to,
      left.map(([field, value]) => [field, write(value)]),
    );
    origins?.set(pathOf(to), name);
    for (const [field] of left) setOrigin(origins, [...to, field], pathOf([name, field]));
  }
  if (eventType !== undefined) placeFlags(mapping);
}

/** Sets the origin of an attribute, unless a line of its own has set it. */
function setOrigin(origins: Origins | undefined, to: Steps, from: string): void {
  if (origins !== undefined && !origins.has(pathOf(to))) origins.set(pathOf(to), from);
}

const FLAGS: Steps = [...DATA_STEPS, 'custom_flags'];

/** Keeps the rest of the context as flags under dotted paths. Names of flags are free, and their number has no bound. */
function placeFlags({ call, draft, taken, origins }: Mapping): void {
  const flags = [...leavesOf('context', call.context ?? null, taken)];
  addFree(draft, FLAGS, flags);
  origins?.set(pathOf(FLAGS), 'context');
  for (const [name] of flags) setOrigin(origins, [...FLAGS, name], name);
}

function* leavesOf(name: string, value: Json, taken: ReadonlySet<string>): Generator<readonly [string, Json]> {
  if (value === null || taken.has(name) || name === 'context.traits') return;
  if (!isFields(value)) yield [name, singleOf(value)];
  else for (const [field, inner] of Object.entries(value)) yield* leavesOf(`${name}.${field}`, inner, taken);
}
