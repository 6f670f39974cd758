import type { Column } from '../../warehouse/index.ts';

/** Describes how a column writes its cells. Where two columns have the same form, equal values are equal cells. */
export function cellForm({ type, nativeType, item }: Omit<Column, 'name'>): string {
  if (item !== undefined) return `${type} of ${cellForm(item)}`;
  const places = type === 'decimal' ? /,\s*(\d+)\)/.exec(nativeType)?.[1] : undefined;
  return places === undefined ? type : `${type} with ${places} decimal places`;
}

/** Tells whether two forms write equal values alike. An integer is written alike in every numeric type. */
export function isSameForm(left: string, right: string): boolean {
  return left.replace(INTEGRAL, 'number') === right.replace(INTEGRAL, 'number');
}

const INTEGRAL = /integer|double/;
