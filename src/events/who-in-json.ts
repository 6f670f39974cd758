import { MOST_DEPTH, measure } from '../http/index.ts';
import { type Environment, type NamedPerson, whoIsNamed } from '../identity/index.ts';
import { type Json, parseEveryValue } from '../kernel/index.ts';
import { meaningsInCalls } from './analytics/id-fields.ts';

/** Whom a batch or call names that is no one's: of one that is not right in form, wherever in it. */
export function whoInJson(text: string): NamedPerson {
  const value = readable(text);
  return { environment: environmentOf(value), ...whoIsNamed(value, meaningsInCalls) };
}

function environmentOf(value: Json | undefined): Environment {
  const isFields = typeof value === 'object' && value !== null && 'environment' in value;
  return isFields && value.environment === 'development' ? 'development' : 'production';
}

/**
 * The value of a JSON text with all values of a repeated field; undefined for one whose nesting leaves no stack to look into
 * it, or to write it again.
 */
export function readable(text: string): Json | undefined {
  try {
    const value = parseEveryValue(text);
    return measure(value).depth > MOST_DEPTH ? undefined : value;
  } catch {
    return undefined;
  }
}
