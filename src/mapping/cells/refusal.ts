/** Rules a row can break. The names are part of the API: `failed-records` shows them (D-099). */
export const ROW_RULES = {
  identity_missing: 'A row has at least one identity, device id or MPID.',
  identity_type: 'An identity is text or a whole number.',
  identity_invalid: 'An identity is not empty, at most 1,024 bytes long, and text that can be stored.',
  mpid_invalid: 'An MPID is a signed 64-bit integer.',
  value_not_finite: 'An attribute is a finite number or time.',
  time_out_of_range: 'The time of an iterator or a mapping is finite and in the years 1 to 9999.',
  value_nested: 'An attribute is a single value or a list of them.',
  value_too_long: 'An attribute does not exceed the length limit.',
  value_text: 'Text contains no U+0000 and no half of a surrogate pair.',
  value_type: 'A value has a type that its field accepts.',
  value_not_allowed: 'A field with a list of allowed values has one of them.',
  value_missing: 'A field that its event or object requires is not NULL.',
  value_nowhere: 'A value belongs to a field of the row’s event type.',
  list_lengths: 'Lists that fill one list of objects have the same length.',
  event_type: 'A row has an event type whose required fields the transformation fills.',
  attributes_too_many: 'An event or batch does not exceed the limit of attributes.',
  batch_too_large: 'The batch of a row does not exceed the size limit.',
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
