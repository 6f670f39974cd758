// Rules of JSON Schema about texts and numbers. Each message is a predicate, a sentence without its subject.
import { countCharacters } from '../count-characters.ts';
import { AppError } from '../errors.ts';
import { parseInstant } from '../instant.ts';
import { isInt64 } from '../int64.ts';
import { isRawNumber } from '../json.ts';
import { kindOf, quoteValue, wantedOneOf } from '../show-value.ts';
import { allowedValues, type JsonSchema } from './json-schema.ts';
import { type Check, complain, isFull } from './scan.ts';

/** Returns the checks of a schema's rules for texts, numbers and choices, in the order in which they complain. */
export function singleRules(schema: JsonSchema): readonly Check[] {
  return [...numberChecks(schema), ...textChecks(schema), ...choiceChecks(schema), ...int64Checks(schema)];
}

function numberChecks({ minimum = -Infinity, maximum = Infinity }: JsonSchema): readonly Check[] {
  if (minimum === -Infinity && maximum === Infinity) return [];
  const check: Check = (value, scan) => {
    if (typeof value !== 'number') return;
    if (value > maximum) complain(scan, `must be at most ${maximum}, is ${value}`);
    if (value < minimum) complain(scan, `must be at least ${minimum}, is ${value}`);
  };
  return [check];
}

function textChecks(schema: JsonSchema): readonly Check[] {
  return [...lengthChecks(schema), ...patternChecks(schema), ...formatChecks(schema)].map(
    (check): Check =>
      (value, scan) =>
        // some patterns need stack for each character of a text that is far too long
        typeof value === 'string' && !isFull(scan) ? check(value, scan) : undefined,
  );
}

type TextCheck = (text: string, scan: Parameters<Check>[1]) => void;

function lengthChecks({ minLength = 0, maxLength = Infinity }: JsonSchema): readonly TextCheck[] {
  if (minLength === 0 && maxLength === Infinity) return [];
  const check: TextCheck = (text, scan) => {
    if (text.length >= 2 * minLength && text.length <= maxLength) return;
    const length = countCharacters(text);
    if (length > maxLength) complain(scan, `must have at most ${maxLength} characters, has ${length}`);
    if (length >= minLength) return;
    const message = minLength === 1 ? 'must not be empty' : `must have at least ${minLength} characters, has ${length}`;
    complain(scan, message);
  };
  return [check];
}

function isShorter(text: string, minLength: number): boolean {
  return text.length < 2 * minLength && countCharacters(text) < minLength;
}

function patternChecks({ pattern, minLength = 0, ...schema }: JsonSchema): readonly TextCheck[] {
  if (pattern === undefined) return [];
  const expression = new RegExp(pattern, 'u');
  const wanted = meaningOf(schema) ?? `text that matches ${pattern}`;
  const check: TextCheck = (text, scan) => {
    // for a text that is too short, its pattern adds nothing
    if (!expression.test(text) && !isShorter(text, minLength)) complain(scan, wrongText(wanted, text));
  };
  return [check];
}

const FORMATS: Readonly<Record<string, { readonly fits: (text: string) => boolean; readonly meaning: string }>> = {
  'date-time': {
    fits: (text) => parseInstant(text) !== undefined,
    meaning: 'a time with a zone such as 2024-01-31T00:00:00Z',
  },
};

function formatChecks(schema: JsonSchema): readonly TextCheck[] {
  if (schema.format === undefined) return [];
  const format = FORMATS[schema.format];
  if (format === undefined) throw new AppError('INTERNAL', `"${schema.format}" is no format that is known here.`);
  const wanted = schema.meaning ?? format.meaning;
  return [(text, scan) => (format.fits(text) ? undefined : complain(scan, wrongText(wanted, text)))];
}

const wrongText = (wanted: string, text: string): string => `must be ${wanted}, is ${quoteValue(text)}`;

/** Returns in words what a text must be; undefined where no pattern or format says it. */
export function meaningOf({ meaning, format = '' }: JsonSchema): string | undefined {
  return meaning ?? FORMATS[format]?.meaning;
}

function choiceChecks(schema: JsonSchema): readonly Check[] {
  const values = allowedValues(schema);
  if (values === undefined) return [];
  const permitted = new Set(values);
  return [(value, scan) => (permitted.has(value) ? undefined : complain(scan, wantedOneOf(values, value)))];
}

function int64Checks({ int64 }: JsonSchema): readonly Check[] {
  if (int64 !== true) return [];
  const check: Check = (value, scan) => {
    if (isInt64(value)) return;
    const isShown = typeof value === 'number' || typeof value === 'bigint' || isRawNumber(value);
    complain(scan, `must be a whole number of 64 bits, is ${isShown ? quoteValue(value) : kindOf(value)}`);
  };
  return [check];
}
