import { type Issue, type Json, stringifyJson, unstorableText } from '../../kernel/index.ts';
import { EventBatch } from '../contract/batch.ts';
import type { BatchLimits } from '../contract/batch-limits.ts';
import { compileShape } from '../contract/compile-shape.ts';

const check = compileShape(EventBatch);

/**
 * Returns the problems of an event batch (docs/spec/events.md), each with its path such as
 * `events[3].data.product_action.action`. Without problems the body is an `EventBatch`. Nothing is changed, cut or
 * filled in. `body` is what the lossless JSON parser gives; `source`, the text it came from, spares writing it again to
 * learn its size.
 */
export function checkBatch(body: unknown, limits: BatchLimits, source?: string): readonly Issue[] {
  try {
    const text = source ?? stringifyJson(body) ?? '';
    const sizeBytes = Buffer.byteLength(text);
    if (sizeBytes > limits.batchBytes) return [tooLarge(sizeBytes, limits)];
    return issuesOf(body, limits, text);
  } catch (error) {
    // the stack ends after some thousand levels; V8 says so with a RangeError wherever it is met
    if (error instanceof RangeError) return [{ path: '', message: 'is nested too deeply' }];
    throw error;
  }
}

function tooLarge(sizeBytes: number, { batchBytes }: BatchLimits): Issue {
  return {
    path: '',
    message: `The batch has ${sizeBytes} bytes; at most ${batchBytes} are allowed. Send fewer events.`,
  };
}

function issuesOf(body: unknown, limits: BatchLimits, text: string): readonly Issue[] {
  const found = check(body, limits);
  const issues = found.length === 0 ? loginIssues(body as EventBatch) : found;
  const unstorable = unstorableText(body as Json, text);
  if (unstorable.length === 0) return issues;
  // one complaint a field: what cannot be stored need not also hear of its pattern
  const paths = new Set(unstorable.map(({ path }) => path));
  return [...unstorable, ...issues.filter(({ path }) => !paths.has(path))];
}

// Refuses two values in both spellings of the login identity: they would make two people of one batch.
function loginIssues({ user_identities: identities }: EventBatch): readonly Issue[] {
  const { customer_id: one, customerid: other } = identities ?? {};
  if (one === undefined || one === null || other === undefined || other === null) return [];
  if (String(one) === String(other)) return [];
  const message = 'is another spelling of customer_id with a different value; send only one of them';
  return [{ path: 'user_identities.customerid', message }];
}
