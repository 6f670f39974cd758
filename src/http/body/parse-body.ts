import { AppError, type Issue, type Json, parseJson, refuse, unstorableText } from '../../kernel/index.ts';
import { locateJsonError } from './locate-json-error.ts';
import { repeatedField } from './repeated-field.ts';

export type MediaType = 'json' | 'form';

const MEDIA_TYPES: Readonly<Record<string, MediaType>> = {
  'application/json': 'json',
  'application/x-www-form-urlencoded': 'form',
};
const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Which of the media types the path reads is sent. Throws UNSUPPORTED_MEDIA_TYPE that names those it reads. */
export function mediaType(contentType: string | undefined, takesForms: boolean): MediaType {
  const [name = '', ...parameters] = (contentType ?? '').split(';').map((part) => part.trim().toLowerCase());
  const known = MEDIA_TYPES[name];
  const wanted = takesForms ? 'application/json or application/x-www-form-urlencoded' : 'application/json';
  if (known === undefined || (known === 'form' && !takesForms)) {
    const problem = name === '' ? 'There is no Content-Type header' : `Content-Type "${name}" is not read here`;
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', `${problem}; send ${wanted}.`);
  }
  const charset = parameters
    .find((parameter) => parameter.startsWith('charset='))
    ?.slice(8)
    .replaceAll('"', '');
  if (charset !== undefined && charset !== 'utf-8' && charset !== 'utf8') {
    throw new AppError('UNSUPPORTED_MEDIA_TYPE', `The charset "${charset}" is not read here; send UTF-8.`);
  }
  return known;
}

/** The value of a body, with every digit. Throws MALFORMED_BODY, or VALIDATION_FAILED for text the store cannot hold and a field given twice. */
export function parseBody(bytes: Buffer, type: MediaType): Json {
  const text = decode(bytes);
  const value = type === 'json' ? parseJsonBody(text) : parseForm(text);
  const issues = unstorableText(value, type === 'json' ? text : undefined);
  if (issues.length > 0) throw refuse(issues);
  return value;
}

// not shown: a field that stands twice in one object; to keep the last one would drop a value that was sent
function refuseRepeated(text: string, value: Json): void {
  const path = repeatedField(text, value);
  if (path !== undefined) throw refuse([{ path, message: 'is given more than once; give it once' }]);
}

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch (cause) {
    throw new AppError('MALFORMED_BODY', 'The body is not UTF-8.', { cause });
  }
}

function parseJsonBody(text: string): Json {
  const value = parseOrLocate(text);
  refuseRepeated(text, value);
  return value;
}

function parseOrLocate(text: string): Json {
  try {
    return parseJson(text);
  } catch (cause) {
    if (cause instanceof RangeError) throw new AppError('MALFORMED_BODY', 'The body is nested too deeply.', { cause });
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
    if (Object.hasOwn(fields, name)) issues.push({ path: name, message: 'is given more than once; give it once' });
    Object.defineProperty(fields, name, { value, enumerable: true, configurable: true, writable: true });
  }
  if (issues.length > 0) throw refuse(issues);
  return fields;
}
