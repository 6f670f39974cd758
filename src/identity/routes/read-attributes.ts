import type { WorkspaceSettings } from '../../access/index.ts';
import { fieldPath, type Issue, microsOfMs, quoteValue, stringifyJson, tooLong } from '../../kernel/index.ts';
import { boundSetTimeMs } from '../profiles/bound-set-time.ts';
import { type AllowedAttributes, keepAllowedAttributes } from '../profiles/keep-allowed-attributes.ts';
import type { ResolveRequest } from '../requests/contract.ts';
import { textOf } from './read-identities.ts';

interface AttributesBody {
  readonly user_attributes?: Readonly<Record<string, unknown>> | null;
  readonly timestamp_unixtime_ms?: number | bigint | null;
  readonly request_timestamp_ms?: number | bigint | null;
}

interface Reading {
  readonly limits: WorkspaceSettings['limits'];
  readonly receivedMs: number;
  readonly issues: Issue[];
  /** Attributes that the caller may set. */
  readonly allowed: AllowedAttributes;
}

/**
 * Reads `user_attributes` with the time at which they were set, within the limits of a batch. Returns undefined where there are
 * none.
 */
export function readAttributes(
  body: AttributesBody,
  { limits, receivedMs, issues, allowed }: Reading,
): ResolveRequest['attributes'] {
  const fields = Object.entries(body.user_attributes ?? {});
  if (fields.length === 0) return undefined;
  if (fields.length > limits.userAttributesPerBatch) {
    const message = `has ${fields.length} attributes; at most ${limits.userAttributesPerBatch} are allowed`;
    issues.push({ path: 'user_attributes', message });
    return undefined;
  }
  for (const [name, value] of fields) {
    const problem = problemOf(name, value, limits);
    if (problem !== undefined) issues.push({ path: fieldPath('user_attributes', name), message: problem });
  }
  const names = fields.map(([name]) => name);
  const texts = fields.map(([, value]) => (value === null ? null : stringifyJson(value)));
  const givenMs = body.timestamp_unixtime_ms ?? body.request_timestamp_ms;
  return {
    set: keepAllowedAttributes({ names, texts }, allowed),
    setAt: microsOfMs(boundSetTimeMs(givenMs, receivedMs)),
  };
}

function problemOf(name: string, value: unknown, limits: WorkspaceSettings['limits']): string | undefined {
  const nameProblem = tooLong(name, limits.nameCharacters);
  if (nameProblem !== undefined) return `has a name that ${nameProblem}`;
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  for (const one of values) {
    if (one === null) continue;
    if (textOf(one) === undefined) return `must be a single value, a list of them or null, is ${quoteValue(one)}`;
    const problem = tooLong(one, limits.valueCharacters);
    if (problem !== undefined) return problem;
  }
  return undefined;
}
