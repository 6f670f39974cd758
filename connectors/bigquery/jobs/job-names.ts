// Names and labels of jobs, as BigQuery allows them.
import { createHash } from 'node:crypto';
import { createIdSource, systemClock, systemRandom } from '../../../src/kernel/index.ts';
import type { Statement } from '../../../src/warehouse/index.ts';

const MOST_LABEL_CHARS = 63;

/** Lower-case letters, digits, `_` and `-`, at most 63; a key begins with a letter. */
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
 * A statement with a key has the same names in every attempt and in every daemon: an insert that was sent twice makes one job,
 * and an attempt that starts again meets the result it had, which no later change of the tables reaches. Without a key its
 * job is never met again. What is logged is no part of it: another installation may log the same.
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
