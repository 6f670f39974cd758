/** Values of iterator_data_type: the kind of value in the column that tracks changes (D-083). */
export const ITERATOR_TYPES = [
  'timestamp',
  'timestamp_tz',
  'timestamp_ltz',
  'timestamp_ntz',
  'date',
  'timestamp_unixtime_ms',
  'timestamp_unixtime_s',
] as const;
export type IteratorType = (typeof ITERATOR_TYPES)[number];

/** Aliases that every provider accepts. */
export const COMMON_ALIASES: Readonly<Record<string, IteratorType>> = {
  datetime_tz: 'timestamp_tz',
  datetime: 'timestamp_ntz',
};

/**
 * Returns the type that a name, in any case, means to a product. Returns undefined where it means none.
 * `aliases` are the product's own names.
 */
export function parseIteratorType(
  name: string,
  dialect?: { readonly iteratorAliases: Readonly<Record<string, IteratorType>> },
): IteratorType | undefined {
  const wanted = name.trim().toLowerCase();
  const own = ITERATOR_TYPES.find((type) => type === wanted);
  if (own !== undefined) return own;
  const aliases: Readonly<Record<string, IteratorType>> = { ...COMMON_ALIASES, ...dialect?.iteratorAliases };
  return Object.hasOwn(aliases, wanted) ? aliases[wanted] : undefined;
}
