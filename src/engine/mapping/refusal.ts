/** Rules a row can break. The names are part of the API: `failed-records` shows them (rulings §7, Mapping). */
export const ROW_RULES = {
  identity_missing: 'A row needs at least one identity, device id or MPID.',
  identity_type: 'An identity is text or a whole number.',
  identity_invalid: 'An identity is not empty, at most 1,024 bytes long, and text that can be stored.',
  mpid_invalid: 'An MPID is a signed 64-bit integer.',
  value_not_finite: 'An attribute is a finite number or time.',
  value_nested: 'An attribute is a single value or a list of them.',
  value_too_long: 'An attribute is not longer than the limit.',
  value_text: 'Text holds no U+0000 and no half of a surrogate pair.',
  value_type: 'An attribute is of a type that JSON can hold.',
  store_refused: 'The store can hold every value of the row.',
} as const;

/** Why one row cannot be kept: a value, never an exception. `field` is the column; empty for the row as a whole. */
export interface Refusal {
  /** One of ROW_RULES, or a rule of `identity`. */
  readonly rule: string;
  readonly field: string;
  readonly value: string | null;
  readonly reason: string;
}
