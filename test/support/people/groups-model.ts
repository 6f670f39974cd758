// A model of the rules of groups (D-069, D-070), over plain maps and exact fractions.
import type { GroupAttribute } from '../../../src/groups/definition.ts';
import type { Environment } from '../../../src/identity/index.ts';

interface Value {
  readonly text: string | null;
  readonly at: bigint;
}

interface ModelPerson {
  readonly mpid: bigint;
  readonly who: string;
  readonly values: Map<string, Value>;
  group: string | undefined;
}

interface ModelDefinition {
  readonly source: string;
  readonly attributes: readonly GroupAttribute[];
}

type Inherited = Record<string, string>;
const ENVIRONMENTS = ['production', 'development'] as const;
const MEMBERS = 10;

export function createGroupsModel() {
  const people: Record<Environment, Map<bigint, ModelPerson>> = { production: new Map(), development: new Map() };
  const given: Record<Environment, Map<string, Inherited>> = { production: new Map(), development: new Map() };
  let definition: ModelDefinition | undefined;

  const membersOf = (environment: Environment, group: string) =>
    [...people[environment].values()].filter((person) => person.group === group);
  const computed = (environment: Environment, group: string, { attributes }: ModelDefinition) =>
    aggregatesOf(membersOf(environment, group), attributes);
  const withdraw = () => {
    for (const environment of ENVIRONMENTS) given[environment].clear();
  };
  const runIn = (environment: Environment, current: ModelDefinition) => {
    const all = [...people[environment].values()];
    const { members, candidates } = chooseMembers(all, current.source);
    for (const person of all) person.group = members.get(person);
    const groups = new Set(members.values());
    given[environment] = new Map([...groups].map((group) => [group, computed(environment, group, current)]));
    return { profiles: all.length, groups: groups.size, members: members.size, leftOut: candidates - members.size };
  };

  return {
    isDefined: () => definition !== undefined,
    say(environment: Environment, mpid: bigint, said: Said) {
      const person = people[environment].get(mpid) ?? { mpid, who: said.who, values: new Map(), group: undefined };
      people[environment].set(mpid, person);
      const before = person.values.get(said.name);
      if (before === undefined || before.at <= said.at) person.values.set(said.name, { text: said.value, at: said.at });
    },
    define({ source, attributes }: ModelDefinition) {
      const before = definition;
      definition = { source, attributes };
      if (before === undefined) return;
      if (before.source !== source) return withdraw();
      const isKept = (one: GroupAttribute) => attributes.some(({ id, type }) => id === one.id && type === one.type);
      const gone = before.attributes.filter((one) => !isKept(one));
      for (const shown of ENVIRONMENTS.flatMap((environment) => [...given[environment].values()]))
        for (const { id } of gone) delete shown[id];
    },
    remove() {
      definition = undefined;
      withdraw();
    },
    /** What the report says; undefined: there is nothing to run. */
    run() {
      if (definition === undefined) return undefined;
      return { production: runIn('production', definition), development: runIn('development', definition) };
    },
    mpidOf: (environment: Environment, who: string) =>
      [...people[environment].values()].find((person) => person.who === who)?.mpid,
    erase(environment: Environment, mpid: bigint) {
      const group = people[environment].get(mpid)?.group;
      people[environment].delete(mpid);
      if (group === undefined || definition === undefined || !given[environment].has(group)) return;
      given[environment].set(group, computed(environment, group, definition));
    },
    everybody: () =>
      ENVIRONMENTS.flatMap((environment) =>
        [...people[environment].values()].map(({ mpid, group }) => ({
          ...{ mpid, environment },
          inherited: group === undefined ? {} : (given[environment].get(group) ?? {}),
        })),
      ),
  };
}

interface Said {
  readonly who: string;
  readonly name: string;
  readonly value: string | null;
  readonly at: bigint;
}

/** The first ten of each value, by the time it was set, then by MPID. */
function chooseMembers(all: readonly ModelPerson[], source: string) {
  const groups = new Map<string, ModelPerson[]>();
  for (const person of all) {
    const value = textOf(person.values.get(source)?.text ?? '""');
    if (value !== '') groups.set(value, [...(groups.get(value) ?? []), person]);
  }
  const members = new Map<ModelPerson, string>();
  let candidates = 0;
  for (const [value, found] of groups) {
    candidates += found.length;
    const order = found.toSorted((one, other) => compare(atOf(one), atOf(other)) || compare(one.mpid, other.mpid));
    for (const person of order.slice(0, MEMBERS)) members.set(person, value);
  }
  return { members, candidates };
  function atOf(person: ModelPerson): bigint {
    return person.values.get(source)?.at ?? 0n;
  }
}

/** Of a string what it says, else the JSON. */
function textOf(json: string): string {
  return json.startsWith('"') ? (JSON.parse(json) as string) : json;
}

const compare = (one: bigint, other: bigint) => (one < other ? -1 : Number(one > other));

function aggregatesOf(members: readonly ModelPerson[], attributes: readonly GroupAttribute[]): Inherited {
  const shown: Inherited = {};
  for (const { id, type } of attributes) {
    const values = members.flatMap(({ mpid, values: own }) => {
      const { text = null, at = 0n } = own.get(id) ?? {};
      return text === null ? [] : [{ text, at, mpid }];
    });
    const value = AGGREGATES[type](values);
    if (value !== undefined) shown[id] = value;
  }
  return shown;
}

interface Own {
  readonly text: string;
  readonly at: bigint;
  readonly mpid: bigint;
}

const AGGREGATES: Record<GroupAttribute['type'], (values: readonly Own[]) => string | undefined> = {
  latest: (values) =>
    values.toSorted((one, other) => compare(other.at, one.at) || compare(one.mpid, other.mpid))[0]?.text,
  boolean_or: (values) => String(values.some(({ text }) => text === 'true' || text === '"true"')),
  sum: (values) => {
    const numbers = values.flatMap(numbersOf);
    return numbers.length === 0 ? undefined : decimal(numbers.reduce((sum, one) => sum + one, 0n));
  },
  average: (values) => {
    const numbers = values.flatMap(numbersOf);
    if (numbers.length === 0) return undefined;
    return decimal(
      divided(
        numbers.reduce((sum, one) => sum + one, 0n),
        BigInt(numbers.length),
      ),
    );
  },
};

/** Numbers are counted in parts of 10^-19: one decimal of the values, and the eighteen that an average has more. */
const SCALE = 19;
const DECIMALS_OF_SUM = 1;

function numbersOf({ text }: Own): bigint[] {
  const plain = textOf(text);
  const [, sign, whole, fraction = '', exponent = '0'] = /^([+-]?)(\d+)(?:\.(\d+))?(?:e(\d+))?$/.exec(plain) ?? [];
  if (whole === undefined) return [];
  const size = BigInt(whole + fraction) * 10n ** BigInt(SCALE - fraction.length + Number(exponent));
  return [sign === '-' ? -size : size];
}

/** Rounded half away from zero to as many decimals as the sum has and eighteen more. */
function divided(sum: bigint, count: bigint): bigint {
  const decimals = sum % 10n ** BigInt(SCALE) === 0n ? SCALE - DECIMALS_OF_SUM : SCALE;
  const unit = 10n ** BigInt(SCALE - decimals);
  const size = sum < 0n ? -sum : sum;
  const rounded = ((2n * size) / (count * unit) + 1n) / 2n;
  return (sum < 0n ? -rounded : rounded) * unit;
}

function decimal(parts: bigint): string {
  const size = String(parts < 0n ? -parts : parts).padStart(SCALE + 1, '0');
  const fraction = size.slice(-SCALE).replace(/0+$/, '');
  return `${parts < 0n ? '-' : ''}${size.slice(0, -SCALE)}${fraction === '' ? '' : `.${fraction}`}`;
}
