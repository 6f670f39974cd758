// Compiles a shape into one closure per field, once. A batch is then walked along its own fields, and nothing is
// allocated while it is valid (1.6 µs for a purchase of 20 fields). Events are told apart by their event_type first, so
// that a complaint names one path and one rule (D-040).
import { isRawNumber, tooLong, wantedOneOf } from '../../kernel/index.ts';
import { type Form, formOf, type ObjectForm, type Shape } from './form.ts';
import { leafProblem, wrongContainer } from './leaf-problem.ts';
import type { Leaf } from './leaves.ts';
import { type Check, complain, complainAt, type Scan } from './scan.ts';

type Fields = Readonly<Record<string, unknown>>;

export function compileCheck(shape: Shape): Check {
  const form = formOf(shape);
  switch (form.form) {
    case 'leaf':
      return checkLeaf(form.leaf);
    case 'object':
      return checkObject(form);
    case 'map':
      return checkMap(form);
    case 'list':
      return checkList(form.nullable, compileCheck(form.items));
    case 'kinds':
      return checkKinds(form);
    case 'anything':
      return checkDepth;
  }
}

function checkLeaf(leaf: Leaf): Check {
  const problemOf = leafProblem(leaf);
  const single: Check = (value, scan) => {
    const problem = problemOf(value, scan.limits);
    if (problem !== undefined) complain(scan, problem);
  };
  if (leaf.list === 'never') return single;
  const several = checkList(false, single);
  return (value, scan) => (Array.isArray(value) ? several : single)(value, scan);
}

function checkObject(form: ObjectForm): Check {
  const checkFields = fieldsCheck(form);
  const required = form.required.map((name) => ({ name, message: requiredMessage(form.fields.get(name)) }));
  const { requiredOneOf } = form;
  return checkContainer(form.nullable, (value, scan) => {
    checkFields(value, scan);
    for (const { name, message } of required) if (value[name] === undefined) complainAt(scan, name, message);
    if (requiredOneOf.length > 0) checkOneIsThere(requiredOneOf, value, scan);
  });
}

function checkContainer(nullable: boolean, look: (value: Fields, scan: Scan) => void): Check {
  return (value, scan) => {
    if (isObject(value)) look(value, scan);
    else if (value !== null || !nullable) complain(scan, wrongContainer('an object', nullable, value));
  };
}

function fieldsCheck({ fields, closed }: ObjectForm): (value: Fields, scan: Scan) => void {
  const checks = new Map([...fields].map(([name, field]) => [name, compileCheck(field)]));
  const unknown = `is not a field of this object; known are ${[...fields.keys()].join(', ')}`;
  const checkUnknown: Check = closed ? (_value, scan) => complain(scan, unknown) : checkDepth;
  return (value, scan) => {
    for (const name in value) {
      const check = checks.get(name) ?? checkUnknown;
      scan.trail.push(name);
      check(value[name], scan);
      scan.trail.pop();
    }
  };
}

function checkOneIsThere(names: readonly string[], value: Fields, scan: Scan): void {
  if (names.some((name) => value[name] !== undefined)) return;
  const [first = '', ...others] = names;
  complainAt(scan, first, `is required where ${others.join(' or ')} is not given`);
}

function requiredMessage(field: Shape | undefined): string {
  const form = field && formOf(field);
  const allowed = form?.form === 'leaf' ? form.leaf.allowed : undefined;
  return allowed === undefined ? 'is required' : wantedOneOf(allowed, undefined);
}

function checkMap({ nullable, values, limits }: Extract<Form, { form: 'map' }>): Check {
  const check = limits.names ? namedCheck(compileCheck(values)) : compileCheck(values);
  const counted = limits.fields;
  return checkContainer(nullable, (value, scan) => {
    let count = 0;
    for (const name in value) {
      count += 1;
      scan.trail.push(name);
      check(value[name], scan);
      scan.trail.pop();
    }
    if (counted !== undefined && count > scan.limits[counted]) {
      complain(scan, `has ${count} attributes; at most ${scan.limits[counted]} are allowed`);
    }
  });
}

/** Bounds the key at the end of the trail as well. */
function namedCheck(check: Check): Check {
  return (value, scan) => {
    const problem = tooLong(scan.trail.at(-1), scan.limits.nameCharacters);
    if (problem === undefined) check(value, scan);
    else complain(scan, `has a name that ${problem}`);
  };
}

function checkList(nullable: boolean, check: Check): Check {
  return (value, scan) => {
    if (value === null && nullable) return;
    if (!Array.isArray(value)) return complain(scan, wrongContainer('a list', nullable, value));
    for (let index = 0; index < value.length; index++) {
      scan.trail.push(index);
      check(value[index], scan);
      scan.trail.pop();
    }
  };
}

function checkKinds({ tag, kinds }: Extract<Form, { form: 'kinds' }>): Check {
  const checks = new Map<unknown, Check>([...kinds].map(([name, kind]) => [name, compileCheck(kind)]));
  return checkContainer(false, (value, scan) => {
    const check = checks.get(value[tag]);
    if (check === undefined) complainAt(scan, tag, wantedOneOf([...kinds.keys()], value[tag]));
    else check(value, scan);
  });
}

const MOST_LEVELS = 100;

// Checks the nesting of a value that may be anything. Without a bound, a later reader of the batch would run out of
// stack.
const checkDepth: Check = (value, scan) => {
  if (isDeeper(value, MOST_LEVELS)) complain(scan, `is nested more than ${MOST_LEVELS} levels deep`);
};

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((item) => isDeeper(item, levels - 1));
}

/** Tells whether a value is an object of JSON. A number with more digits than a double has is a JavaScript object, too. */
function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);
}
