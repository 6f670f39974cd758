/** Rules a row can break. The names are part of the API: `failed-records` shows them (D-099). */
export const ROW_RULES = {
  identity_missing: 'A row needs at least one identity, device id or MPID.',
  identity_type: 'An identity is text or a whole number.',
  identity_invalid: 'An identity is not empty, at most 1,024 bytes long, and text that can be stored.',
  mpid_invalid: 'An MPID is a signed 64-bit integer.',
  value_not_finite: 'An attribute is a finite number or time.',
  time_out_of_range: 'A time that an iterator or a mapping gives is finite and lies in the years 1 to 9999.',
  value_nested: 'An attribute is a single value or a list of them.',
  value_too_long: 'An attribute is not longer than the limit.',
  value_text: 'Text holds no U+0000 and no half of a surrogate pair.',
  value_type: 'A value is of a type that its field can hold.',
  value_not_allowed: 'A field with a list of allowed values holds one of them.',
  value_missing: 'A field that its event or object requires is not NULL.',
  value_nowhere: 'A value has a field in the event kind of its row.',
  list_lengths: 'Lists that fill one list of objects have the same length.',
  event_type: 'A row has an event kind whose required fields the transformation fills.',
  attributes_too_many: 'An event and a batch have no more attributes than the limit.',
  batch_too_large: 'A row makes a batch that is not larger than the limit.',
  store_refused: 'The store can hold every value of the row.',
} as const;

export type RowRule = keyof typeof ROW_RULES;

/** The reason why a row is not kept; a value, never an exception. `field` is the column, and empty for the row as a whole. */
export interface Refusal {
  /** One of ROW_RULES, or a rule of the room `identity`. */
  readonly rule: string;
  readonly field: string;
  readonly value: string | null;
  readonly reason: string;
}
