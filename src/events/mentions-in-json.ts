import { MOST_DEPTH, measure } from '../http/index.ts';
import { collectMentions, type Environment, type MentionedPerson } from '../identity/index.ts';
import { type Json, parseEveryValue } from '../kernel/index.ts';
import { meaningsInCalls } from './analytics/id-fields.ts';

/** Finds the people whom a batch or call without a profile names, anywhere in it: its form may be wrong. */
export function mentionsInJson(text: string): MentionedPerson {
  const value = parseSearchable(text);
  return { environment: environmentOf(value), ...collectMentions(value, meaningsInCalls) };
}

function environmentOf(value: Json | undefined): Environment {
  const isFields = typeof value === 'object' && value !== null && 'environment' in value;
  return isFields && value.environment === 'development' ? 'development' : 'production';
}

/**
 * Parses a JSON text and keeps all values of a repeated field. Returns undefined for a text that is no JSON, or is nested
 * too deeply to be searched or written again.
 */
export function parseSearchable(text: string): Json | undefined {
  try {
    const value = parseEveryValue(text);
    return measure(value).depth > MOST_DEPTH ? undefined : value;
  } catch {
    return undefined;
  }
}
