import type { Json } from '../../kernel/index.ts';
import type { ListPlan } from './call-plans.ts';
import { type CompiledLine, findValue, type Looking } from './compile-lines.ts';
import { isFields } from './conversions.ts';
import { addFree, type Draft, pathOf, setAt } from './draft.ts';
import { singleTextOf } from './fit-value.ts';
import type { Mapping } from './mapping.ts';

/** Items of a list, and the fields of the properties that they used up. */
interface Items {
  readonly items: readonly Draft[];
  readonly taken: readonly string[];
}

/**
 * Puts products or promotions in place. A list with anything but objects stays among the properties. So does a list
 * whose items have fields without a place, so that nothing is lost.
 */
export function placeList(mapping: Mapping, plan: ListPlan): void {
  const properties = isFields(mapping.call.properties) ? mapping.call.properties : {};
  const list = properties[plan.from];
  const found = Array.isArray(list) && list.every(isFields) ? fromList(mapping, plan, list) : fromOne(mapping, plan);
  if (found.items.length > 0 || plan.isNeeded) setAt(mapping.draft, plan.to, found.items);
  for (const name of found.taken) mapping.taken.add(`properties.${name}`);
}

type Fields = Readonly<Record<string, Json>>;

function fromList(mapping: Mapping, plan: ListPlan, list: readonly Fields[]): Items {
  const made = list.map((given, index) => {
    const { item, taken } = itemOf(mapping, plan, { given, index, path: `properties.${plan.from}[${index}]` });
    const others = Object.entries(given).filter(([name, value]) => !taken.has(name) && value !== null);
    if (plan.keepsOthers) {
      addFree(
        item,
        ['custom_attributes'],
        others.map(([name, value]) => [name, singleTextOf(value)]),
      );
      for (const [name] of others) {
        mapping.origins?.set(
          pathOf([...plan.to, index, 'custom_attributes', name]),
          pathOf(['properties', plan.from, index, name]),
        );
      }
    }
    return { item, isWhole: plan.keepsOthers || others.length === 0 };
  });
  return { items: made.map(({ item }) => item), taken: made.every(({ isWhole }) => isWhole) ? [plan.from] : [] };
}

function fromOne(mapping: Mapping, plan: ListPlan): Items {
  if (!plan.isOfOne || !isFields(mapping.call.properties)) return { items: [], taken: [] };
  const { item, taken } = itemOf(mapping, plan, { given: mapping.call.properties, index: 0, path: 'properties' });
  return taken.size === 0 ? { items: [], taken: [] } : { items: [item], taken: [...taken] };
}

interface GivenItem {
  readonly given: Fields;
  readonly index: number;
  readonly path: string;
}

function itemOf(
  { eventMs, platform, nameCharacters, origins }: Mapping,
  { lines, to }: ListPlan,
  { given, index, path }: GivenItem,
): { readonly item: Draft; readonly taken: ReadonlySet<string> } {
  const item: Draft = {};
  const taken = new Set<string>();
  const looking: Looking = { eventMs, platform, taken: new Set(), nameCharacters };
  for (const line of lines) {
    const found = findValue(line, given, looking);
    if (found === undefined) continue;
    const field = fieldOf(line);
    item[field] = found.value;
    taken.add(found.name);
    origins?.set(pathOf([...to, index, field]), `${path}.${found.name}`);
  }
  return { item, taken };
}

const fieldOf = ({ to }: CompiledLine): string => String(to.at(-1));
