// Messages for people, in pieces: the name of a field is a piece of its own, because the same field has another name in
// another API, and each API shows its own.

/** A field of a request or a configuration, by its name in version 2 of the warehouse sync API (`config.user`). */
export interface FieldName {
  readonly field: string;
}

/** A message, whole and in pieces. Without pieces it names no field. */
export interface Worded {
  readonly message: string;
  readonly pieces?: readonly (string | FieldName)[];
}

type Value = string | number | bigint | FieldName | Worded;

export function field(name: string): FieldName {
  return { field: name };
}

/** Builds a message from a template whose values are texts, fields or other messages: say`Check ${field('config.host')}.` */
export function say(texts: TemplateStringsArray, ...values: readonly Value[]): Worded {
  const pieces = texts.flatMap((text, at) => [text, ...piecesOf(values[at] ?? '')]).filter((piece) => piece !== '');
  return worded(pieces);
}

/** Returns a fixed text as a message: what stands in braces is a field, as in `Check {config.user}.` */
export function template(text: string): Worded {
  const pieces = text
    .split(/\{([\w.]+)\}/)
    .map((piece, at) => (at % 2 === 0 ? piece : field(piece)))
    .filter((piece) => piece !== '');
  return worded(pieces);
}

/** Joins messages with a space between; `undefined` and empty texts are left out. */
export function joined(messages: readonly (string | Worded | undefined)[]): Worded {
  const said = messages.flatMap((each) => (each === undefined || each === '' ? [] : [say`${each}`]));
  return said.length === 0 ? { message: '' } : said.reduce((all, each) => say`${all} ${each}`);
}

/** Returns the message with each field under the name that `nameOf` gives it. */
export function messageWith({ message, pieces }: Worded, nameOf: (field: string) => string): string {
  return pieces === undefined ? message : textOf(pieces, nameOf);
}

/** Returns message and pieces without anything else that `worded` is, such as an error with its stack. */
export function wordsOf({ message, pieces }: Worded): Worded {
  return pieces === undefined ? { message } : { message, pieces };
}

function piecesOf(value: Value): readonly (string | FieldName)[] {
  if (typeof value !== 'object') return [String(value)];
  return 'field' in value ? [value] : (value.pieces ?? [value.message]);
}

function worded(pieces: NonNullable<Worded['pieces']>): Worded {
  const message = textOf(pieces, (name) => name);
  return pieces.every((piece) => typeof piece === 'string') ? { message } : { message, pieces };
}

function textOf(pieces: readonly (string | FieldName)[], nameOf: (field: string) => string): string {
  return pieces.map((piece) => (typeof piece === 'string' ? piece : nameOf(piece.field))).join('');
}
