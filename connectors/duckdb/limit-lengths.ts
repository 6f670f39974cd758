// Limits on the lengths of built values. DuckDB's memory limit covers its buffers, but not the value that a function builds.
// One call such as repeat('x', 4000000000) ends the process, even while its columns are described, because constants are
// computed then. So functions whose result is as long as a number says are bounded by the numbers in the statement, multiplied
// where calls are nested. Lengths that only the rows determine, and texts joined with themselves, are not seen here.
import { AppError } from '../../src/kernel/index.ts';
import { estimateNumber, RUN_TIME } from './estimate-number.ts';
import { type Fields, fieldsOf, isSyntax, listOf } from './syntax.ts';

/** Longest text: a vector holds 2,048 values, so texts of this length take 200 MB. */
const MOST_CHARACTERS = 100_000;
/** Longest series of numbers or times by itself: 8 bytes an item, computed once where its bounds are constants. */
const MOST_ITEMS = 1_000_000;

/** Functions by the place of the length among their arguments. The result has this length whatever the others are. */
const PADS: ReadonlyMap<string, number> = new Map([
  ...(['lpad', 'rpad', 'bitstring'] as const).map((name) => [name, 1] as const),
  ['bar', 3],
]);
/** Functions whose length, at place 1, multiplies the other arguments. */
const REPEATS = new Set(['repeat', 'list_resize', 'array_resize']);
const SERIES = new Set(['range', 'generate_series']);
/** Functions by the places of the arguments that multiply each other. */
const PRODUCTS: ReadonlyMap<string, readonly number[]> = new Map([
  ['replace', [0, 2]],
  ['regexp_replace', [0, 2]],
  ['array_to_string', [0, 1]],
  ['list_string_agg', [0, 1]],
]);
const FORMAT_SPECS: ReadonlyMap<string, { readonly spec: RegExp; readonly fromValue: RegExp }> = new Map([
  ['printf', { spec: /%%|%[-+ #0,'_]*[\d.*$]*/g, fromValue: /^%[^%]*\*/ }],
  ['format', { spec: /\{\{|\}\}|\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}/g, fromValue: /^\{[^{].*\{/ }],
]);

/** Throws SQL_REFUSED where a call of the statement can build too long a value. */
export function limitLengths(statement: unknown): void {
  sizeOf(statement, 1);
}

/** Returns the size of the largest value below the node; `column` is the size of the largest value of an inner query. */
function sizeOf(node: unknown, column: number): number {
  if (Array.isArray(node)) return Math.max(1, ...node.map((item) => sizeOf(item, column)));
  if (!isSyntax(node)) return 1;
  if (node.type === 'COLUMN_REF') return column;
  if ('select_list' in node || 'cte_map' in node) return sizeOfQuery(node, column);
  // a table function returns its rows one after the other
  if (node.type === 'TABLE_FUNCTION') return sizeOf(fieldsOf(node.function).children, column);
  if (node.class === 'FUNCTION') return sizeOfCall(node, column);
  return sizeOf(Object.values(node), column);
}

/** Returns the size of a query. Names of inner queries, and of earlier columns, may stand for their values. */
function sizeOfQuery({ cte_map: ctes, from_table: from, select_list: list, ...rest }: Fields, outer: number): number {
  const parts = [...listOf(fieldsOf(ctes).map), from, ...listOf(list), rest];
  return parts.reduce<number>((column, part) => Math.max(column, sizeOf(part, column)), outer);
}

function sizeOfCall(call: Fields, column: number): number {
  const name = String(call.function_name).toLowerCase();
  const values = listOf(call.children);
  const inner = sizeOf(Object.values(call), column);
  const size = ownSize(name, values, column);
  if (size === undefined) return name === 'unnest' && isSeries(values[0]) ? 1 : inner;
  if (!(size <= (SERIES.has(name) ? MOST_ITEMS : MOST_CHARACTERS))) throw tooLong(name);
  return Math.max(size, inner);
}

/**
 * Returns the size of a call's result: NaN where it is too long or cannot be read, undefined for a function that makes nothing
 * longer.
 */
function ownSize(name: string, values: readonly unknown[], column: number): number | undefined {
  const pad = PADS.get(name);
  if (pad !== undefined) return pad < values.length ? lengthFrom(values[pad]) : 1;
  if (SERIES.has(name)) return lengthOfSeries(values);
  if (FORMAT_SPECS.has(name)) return widthIn(name, values[0]);
  if (REPEATS.has(name)) {
    const length = lengthFrom(values[1]);
    const content = Math.max(...values.filter((_, at) => at !== 1).map((value) => contentOf(value, column)));
    const isNested = content > 1 && longestText(values) < content;
    return length === RUN_TIME && isNested ? Number.NaN : length * content;
  }
  const product = PRODUCTS.get(name);
  if (product !== undefined) return product.map((at) => contentOf(values[at], column)).reduce((a, b) => a * b);
  const lambda = values.find((value) => fieldsOf(value).type === 'LAMBDA');
  if (lambda === undefined) return undefined;
  const body = fieldsOf(lambda).expr;
  const [list] = values;
  return Math.max(sizeOf(list, 1) * sizeOf(body, column), sizeOf(list, column) * sizeOf(body, 1));
}

function contentOf(value: unknown, column: number): number {
  return Math.max(sizeOf(value, column), longestText(value));
}

function longestText(node: unknown): number {
  if (Array.isArray(node)) return Math.max(1, ...node.map(longestText));
  if (!isSyntax(node)) return 1;
  const { value } = fieldsOf(node.value);
  if (node.type === 'VALUE_CONSTANT') return typeof value === 'string' ? Math.max(1, value.length) : 1;
  return longestText(Object.values(node));
}

function lengthFrom(value: unknown): number {
  const { number, varies } = estimateNumber(value);
  // the rows' part of a sum does not make a large number smaller
  return varies && !(number > RUN_TIME) ? RUN_TIME : Math.max(0, number);
}

function lengthOfSeries(values: readonly unknown[]): number {
  const [first, second, step] = values.map(estimateNumber);
  if (first === undefined) return 1;
  const { number: to } = second ?? first;
  const length = Math.abs((second === undefined ? to : to - first.number) / (step?.number ?? 1));
  const varies = [first, second, step].some((part) => part?.varies === true);
  return varies && !(length > RUN_TIME) ? RUN_TIME : length;
}

function isSeries(value: unknown): boolean {
  return SERIES.has(String(fieldsOf(value).function_name).toLowerCase());
}

/** Sums the widths and precisions of a format: `%5d`, `{:>5}`. One that comes as a value (`%*d`, `{:{}}`) cannot be read. */
function widthIn(name: string, value: unknown): number {
  const syntax = FORMAT_SPECS.get(name);
  const { value: text } = fieldsOf(fieldsOf(value).value);
  if (syntax === undefined || typeof text !== 'string') return RUN_TIME;
  const specs = text.match(syntax.spec) ?? [];
  if (specs.some((spec) => syntax.fromValue.test(spec))) return Number.NaN;
  const numbers = specs.flatMap((spec) => spec.match(/\d+/g) ?? []).map(Number);
  return numbers.reduce((sum, width) => sum + width, 1);
}

function tooLong(name: string): AppError {
  const message = SERIES.has(name)
    ? `${name} creates a list of more than ${MOST_ITEMS} items, or of a length that is not a number in the statement. Call it in ` +
      `FROM, where it gives rows: FROM ${name}(…) AS t(i).`
    : `${name} creates a value of more than ${MOST_CHARACTERS} characters or items, or of a length that is not a number in the ` +
      'statement. Write a smaller number, not an expression; the numbers of nested calls multiply.';
  return new AppError('SQL_REFUSED', message);
}
