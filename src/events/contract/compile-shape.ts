// Demands on a batch beyond JSON Schema: leaves, bounds of its workspace, and a bound of the depth of what is free.
import type { TSchema } from 'typebox';
import {
  type Check as AnyCheck,
  type Compile,
  compileCheck,
  complain,
  type Issue,
  isObject,
  type JsonSchema,
  startScan,
  tooLong,
  wantedOneOf,
  wrongType,
} from '../../kernel/index.ts';
import type { BatchLimits } from './batch-limits.ts';
import { formOf, type Shape } from './form.ts';
import { leafProblem } from './leaf-problem.ts';
import { LEAF, type Leaf } from './leaves.ts';
import type { MapLimits } from './objects.ts';

type Check = AnyCheck<BatchLimits>;

/** Number of issues that are shown: more help nobody, and a hostile batch has thousands. */
const MOST_ISSUES = 50;

/** Returns the issues of a value, at most 50 and the word that there are more. */
export type ShapeCheck = (value: unknown, limits: BatchLimits) => readonly Issue[];

/** Compiles a shape once. Its issues come in the order of the sender's fields. */
export function compileShape(schema: TSchema): ShapeCheck {
  const check = compileCheck<BatchLimits>(schema, { own: ownCheck, anything: checkDepth, order: 'sent', missing });
  return (value, limits) => {
    const scan = startScan(limits, MOST_ISSUES + 1);
    check(value, scan);
    const { issues } = scan;
    return issues.length <= MOST_ISSUES ? issues : [...issues.slice(0, MOST_ISSUES), { path: '', message: 'and more' }];
  };
}

function ownCheck(schema: Shape, compile: Compile<BatchLimits>, orNull: boolean): Check | undefined {
  // a union is not read as its main branch here, since null stands there too
  if (schema.anyOf !== undefined && schema[LEAF] === undefined) return undefined;
  const form = formOf(schema);
  if (form.form === 'leaf') return checkLeaf(form.leaf);
  return form.form === 'map' ? checkMap(form.limits, compile(form.values), orNull) : undefined;
}

function missing(field: JsonSchema): string {
  const form = formOf(field);
  const allowed = form.form === 'leaf' ? form.leaf.allowed : undefined;
  return allowed === undefined ? 'is required' : wantedOneOf(allowed, undefined);
}

function checkLeaf(leaf: Leaf): Check {
  const problemOf = leafProblem(leaf);
  const single: Check = (value, scan) => {
    const problem = problemOf(value, scan.limits);
    if (problem !== undefined) complain(scan, problem);
  };
  if (leaf.list === 'never') return single;
  return (value, scan) => {
    if (!Array.isArray(value)) return single(value, scan);
    for (const [index, item] of value.entries()) {
      scan.trail.push(index);
      single(item, scan);
      scan.trail.pop();
    }
  };
}

function checkMap({ names, fields: counted }: MapLimits, values: Check, orNull: boolean): Check {
  const types = orNull ? ['object', 'null'] : ['object'];
  const check = names ? namedCheck(values) : values;
  return (value, scan) => {
    if (!isObject(value)) return complain(scan, wrongType(types, value));
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
  };
}

/** Bounds the key at the end of the trail as well. */
function namedCheck(check: Check): Check {
  return (value, scan) => {
    const problem = tooLong(scan.trail.at(-1), scan.limits.nameCharacters);
    if (problem === undefined) check(value, scan);
    else complain(scan, `has a name that ${problem}`);
  };
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
