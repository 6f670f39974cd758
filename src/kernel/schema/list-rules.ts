import { stringifyJson } from '../json.ts';
import type { JsonSchema } from './json-schema.ts';
import { type Check, complain, inTurn, isFull, type Scan } from './scan.ts';
import type { Compile } from './schema-rules.ts';

type ListCheck<Limits> = (items: readonly unknown[], scan: Scan<Limits>) => void;

/** Returns the check of a schema's rules for the entries of a list; undefined where it has none. */
export function listRules<Limits>(schema: JsonSchema, compile: Compile<Limits>): ListCheck<Limits> | undefined {
  const { items, minItems = 0, maxItems = Infinity, uniqueItems = false } = schema;
  const checks: readonly ListCheck<Limits>[] = [
    ...(minItems > 0 || maxItems < Infinity ? [sizeCheck(minItems, maxItems)] : []),
    ...(items === undefined ? [] : [itemsCheck(compile(items))]),
    ...(uniqueItems ? [checkUnique] : []),
  ];
  return inTurn(checks);
}

function sizeCheck(least: number, most: number): ListCheck<unknown> {
  return ({ length }, scan) => {
    if (length > most) complain(scan, `must have at most ${most} entries, has ${length}`);
    if (length < least) complain(scan, `must have at least ${least} entries, has ${length}`);
  };
}

function itemsCheck<Limits>(check: Check<Limits>): ListCheck<Limits> {
  return (items, scan) => {
    for (let index = 0; index < items.length; index++) {
      if (isFull(scan)) return;
      scan.trail.push(index);
      check(items[index], scan);
      scan.trail.pop();
    }
  };
}

function checkUnique(items: readonly unknown[], scan: Scan): void {
  const places = new Map<string, number>();
  for (const [index, item] of items.entries()) {
    const text = stringifyJson(item);
    const earlier = places.get(text);
    if (earlier !== undefined) {
      complain(scan, `has the same entry at ${earlier} and ${index}; each may stand there once`);
      return;
    }
    places.set(text, index);
  }
}
