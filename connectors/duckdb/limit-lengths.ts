// DuckDB's memory limit holds for what it buffers and not for the value that a function builds: one call such as
// repeat('x', 4000000000) ends the process, already while its columns are looked at, because constants are computed then. So
// functions whose result is as long as a number says get numbers that can be read in the statement, and no large ones.
// Values that grow in other ways (a text put together with itself again and again) are not seen here.
import { AppError } from '../../src/kernel/index.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Lengths above the small ones multiply over the statement up to so much. A vector holds 2,048 of such values. */
const MOST_ITEMS = 10_000;
const SMALL_ITEMS = 100;

/** The place of the argument that says how long the result is. */
const LENGTH_AT: ReadonlyMap<string, number> = new Map([
  ...(['lpad', 'rpad', 'repeat', 'bitstring', 'list_resize', 'array_resize'] as const).map(
    (name) => [name, 1] as const,
  ),
  ['bar', 3],
]);
const SERIES = new Set(['range', 'generate_series']);
const FORMATS = new Set(['printf', 'format']);

/** Checks the calls of one statement, without those that stand for tables: these give their rows one after the other. */
export function limitLengths(): (call: Fields) => void {
  let items = 1;
  return ({ function_name: called, children }) => {
    const name = String(called).toLowerCase();
    const length = lengthOf(name, Array.isArray(children) ? children : []);
    if (length === undefined) return;
    if (!(length <= SMALL_ITEMS)) items *= length;
    if (!(items <= MOST_ITEMS)) throw tooLong(name);
  };
}

/** NaN: it cannot be read in the statement; undefined: another function. */
function lengthOf(name: string, values: readonly unknown[]): number | undefined {
  if (FORMATS.has(name)) return widthIn(values[0]);
  const at = LENGTH_AT.get(name);
  if (at !== undefined) return at < values.length ? numberIn(values[at]) : SMALL_ITEMS;
  if (!SERIES.has(name)) return undefined;
  const [first = Number.NaN, second, step = 1] = values.map(numberIn);
  return Math.abs(second === undefined ? first : (second - first) / step);
}

function numberIn(value: unknown): number {
  const { type, value: literal, child } = fieldsOf(value);
  if (type === 'OPERATOR_CAST') return numberIn(child);
  const { value: number } = fieldsOf(literal);
  return type === 'VALUE_CONSTANT' && typeof number === 'number' ? number : Number.NaN;
}

/** The largest width or precision of a format: `%5d`, `{:>5}`. One that comes as a value (`%*d`, `{:{}}`) cannot be read. */
function widthIn(value: unknown): number {
  const { value: literal } = fieldsOf(value);
  const { value: text } = fieldsOf(literal);
  if (typeof text !== 'string' || /%[^a-z%]*\*|\{[^{}]*\{/i.test(text)) return Number.NaN;
  const specs = text.match(/%[^a-z%]*|\{[^{}]*\}/gi) ?? [];
  return Math.max(0, ...specs.flatMap((spec) => spec.match(/\d+/g) ?? []).map(Number));
}

function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function tooLong(name: string): AppError {
  const message = SERIES.has(name)
    ? `${name} makes a list of more than ${MOST_ITEMS} items, or of a number that cannot be read in the statement. Call it in ` +
      `FROM, where it gives rows: FROM ${name}(…) AS t(i).`
    : `${name} makes a value of more than ${MOST_ITEMS} characters or items, or of a number that cannot be read in the ` +
      'statement. Write a smaller number, not an expression; the numbers of all such calls in a statement multiply.';
  return new AppError('SQL_REFUSED', message);
}
