// Consent is kept in the form of a batch's consent_state: the text of `{regulation: {purpose: {…}}}`, in the form of attribute
// texts (no white space, keys as JSON.stringify writes them). Each purpose carries the time at which it was given or refused.
import { readObjectText, writeObjectText } from './attribute-text.ts';

export const NO_CONSENT = '{}';
const TIME_KEY = '"timestamp_unixtime_ms":';

/**
 * Merges consent purpose by purpose. The newest time wins, whatever arrives first; at equal times the later delivery
 * wins (D-034). Returns `kept` itself where nothing changed.
 */
export function mergeConsent(kept: string, given: string): string {
  const regulations = readObjectText(kept);
  let changed = false;
  for (const [regulation, purposes] of readObjectText(given)) {
    const before = regulations.get(regulation) ?? NO_CONSENT;
    const after = mergePurposes(before, purposes);
    if (after === before) continue;
    regulations.set(regulation, after);
    changed = true;
  }
  return changed ? writeObjectText(regulations) : kept;
}

function mergePurposes(kept: string, given: string): string {
  const purposes = readObjectText(kept);
  let changed = false;
  for (const [purpose, text] of readObjectText(given)) {
    const before = purposes.get(purpose);
    if (before !== undefined && (before === text || timeOf(before) > timeOf(text))) continue;
    purposes.set(purpose, text);
    changed = true;
  }
  return changed ? writeObjectText(purposes) : kept;
}

function timeOf(purpose: string): bigint {
  return BigInt(readObjectText(purpose).get(TIME_KEY) ?? 0);
}
