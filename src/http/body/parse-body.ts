import { AppError, type Issue, type Json, parseJson, refuse, unstorableText } from '../../kernel/index.ts';
import type { Endpoint } from '../contract.ts';
import { locateJsonError } from './locate-json-error.ts';
import { measure, repeatedAmong, repetition } from './repeated-field.ts';

export type MediaType = 'json' | 'form';

/** Media types that a path reads besides JSON. */
export type ReadTypes = Pick<Endpoint, 'formEncoded' | 'plainText' | 'anyMediaType'>;

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Returns the media type that was sent. Throws UNSUPPORTED_MEDIA_TYPE that names the types which the path reads. */
export function mediaType(contentType: string | undefined, reads: ReadTypes): MediaType {
  // nearly every request sends this
  if (contentType === 'application/json' || reads.anyMediaType === true) return 'json';
  const [name = '', ...parameters] = (contentType ?? '').split(';').map((part) => part.trim().toLowerCase());
  const types = typesOf(reads);
  const type = types.get(name);
  if (type === undefined) {
    const problem = name === '' ? 'The Content-Type header is missing' : `Content-Type "${name}" is not supported here`;
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', `${problem}; send ${[...types.keys()].join(' or ')}.`);
  }
  requireUtf8(parameters);
  return type;
}

function typesOf({ formEncoded, plainText }: ReadTypes): ReadonlyMap<string, MediaType> {
  const types = new Map<string, MediaType>([['application/json', 'json']]);
  if (formEncoded === true) types.set('application/x-www-form-urlencoded', 'form');
  if (plainText === true) types.set('text/plain', 'json');
  return types;
}

function requireUtf8(parameters: readonly string[]): void {
  const charset = parameters
    .find((parameter) => parameter.startsWith('charset='))
    ?.slice(8)
    .replaceAll('"', '');
  if (charset === undefined || charset === 'utf-8' || charset === 'utf8') return;
  throw new AppError('UNSUPPORTED_MEDIA_TYPE', `The charset "${charset}" is not supported; send UTF-8.`);
}

export interface ParsedBody {
  readonly value: Json;
  /** Path of a field that its object has twice; `value` holds the last one. */
  readonly repeated: string | undefined;
  /** Depth of nested lists and objects. */
  readonly depth: number;
}

/** Parses a body and keeps every digit. Throws MALFORMED_BODY, or VALIDATION_FAILED for a form field given twice. */
export function parseBody(text: string, type: MediaType): ParsedBody {
  if (type === 'form') return { value: parseForm(text), repeated: undefined, depth: 1 };
  const value = parseOrLocate(text);
  const measured = measure(value);
  return { value, repeated: repeatedAmong(text, measured), depth: measured.depth };
}

// The deepest nesting that is accepted. A deeper body can be parsed, but checking it or writing it again could overflow the
// stack.
export const MOST_DEPTH = 200;

/** Throws MALFORMED_BODY for a body that is nested too deeply. */
export function refuseDeep({ depth }: ParsedBody): void {
  if (depth > MOST_DEPTH) throw tooDeep();
}

function tooDeep(cause?: unknown): AppError {
  const message = `The body is nested too deeply: at most ${MOST_DEPTH} levels of lists and objects are allowed.`;
  return new AppError('MALFORMED_BODY', message, { cause });
}

/** Throws VALIDATION_FAILED for text that the store cannot hold. `source` is the JSON that the value was parsed from. */
export function refuseUnstorable(value: Json, source: string | undefined): void {
  const issues = unstorableText(value, source);
  if (issues.length > 0) throw refuse(issues);
}

/** Throws VALIDATION_FAILED where a field is given twice. */
export function refuseRepeated({ repeated }: ParsedBody): void {
  if (repeated !== undefined) throw refuse([repetition(repeated)]);
}

/** Decodes the text of a body. Throws MALFORMED_BODY where the bytes are not UTF-8. */
export function decodeBody(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new AppError('MALFORMED_BODY', 'The body is not UTF-8.', { cause });
  }
}

function parseOrLocate(text: string): Json {
  try {
    return parseJson(text);
  } catch (cause) {
    if (cause instanceof RangeError) throw tooDeep(cause);
    const error = locateJsonError(text);
    throw new AppError(
      'MALFORMED_BODY',
      `The body is not JSON: expected ${error.expected} at line ${error.line}, column ${error.column} (position ${error.position}).`,
      { cause },
    );
  }
}

function parseForm(text: string): Json {
  const fields: Record<string, string> = {};
  const issues: Issue[] = [];
  for (const [name, value] of new URLSearchParams(text)) {
    if (Object.hasOwn(fields, name)) issues.push(repetition(name));
    Object.defineProperty(fields, name, { value, enumerable: true, configurable: true, writable: true });
  }
  if (issues.length > 0) throw refuse(issues);
  return fields;
}
