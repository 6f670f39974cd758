// Names and labels of jobs, as BigQuery allows them.
import { createHash } from 'node:crypto';
import { createIdSource, systemClock, systemRandom } from '../../../src/kernel/index.ts';
import type { Statement } from '../../../src/warehouse/index.ts';

const MOST_LABEL_CHARS = 63;

/**
 * Returns labels in BigQuery's alphabet: lower-case letters, digits, `_` and `-`, at most 63 characters.
 * A key begins with a letter.
 */
export function labelsOf(label: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  const entries = Object.entries(label).map(([name, value]) => [labelText(`penstock_${name}`), labelText(value)]);
  return { penstock: 'true', ...Object.fromEntries(entries) };
}

function labelText(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^a-z0-9_-]/g, '_')
    .slice(0, MOST_LABEL_CHARS);
}

export type JobName = (attempt: number) => string;

/**
 * Returns the names of a statement's jobs.
 * With a key, they are the same in every attempt and in every daemon. So an insert that was sent twice creates one job, and a
 * new attempt finds the earlier result, which later changes of the tables do not affect. Without a key, the job is never found
 * again. The label is not part of the name: another installation may have the same one.
 */
export function jobNames({ sql, parameters }: Statement, place: string, snapshotKey: string | undefined): JobName {
  if (snapshotKey === undefined) {
    const name = `penstock_${nextId()}_${Math.floor(systemRandom() * 2 ** 40).toString(36)}`;
    return (attempt) => `${name}_${attempt}`;
  }
  const bound = Object.entries(parameters).map(([name, value]) => [name, String(value)]);
  const about = JSON.stringify([snapshotKey, place, sql, bound]);
  const hash = createHash('sha256').update(about).digest('hex').slice(0, 32);
  return (attempt) => `penstock_${hash}_${attempt}`;
}

const nextId = createIdSource(systemClock);
