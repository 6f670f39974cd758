import type { Column } from '../../warehouse/index.ts';

/** How a column writes its cells, in words: where two columns say the same, equal values are equal cells. */
export function cellForm({ type, nativeType, item }: Omit<Column, 'name'>): string {
  if (item !== undefined) return `${type} of ${cellForm(item)}`;
  const places = type === 'decimal' ? /,\s*(\d+)\)/.exec(nativeType)?.[1] : undefined;
  return places === undefined ? type : `${type} with ${places} decimal places`;
}

/** An integer is written alike whatever it is kept in. */
export function isSameForm(left: string, right: string): boolean {
  return left.replace(INTEGRAL, 'number') === right.replace(INTEGRAL, 'number');
}

const INTEGRAL = /integer|double/;
