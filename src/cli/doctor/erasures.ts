// Findings of the doctor about the vacuum that follows erasures: tables that it skips, and erasures that it has not reached.
import { countUnvacuumedErasures } from '../../dsr/index.ts';
import type { Clock } from '../../kernel/index.ts';
import { type Store, tablesNotToVacuum } from '../../store/index.ts';
import type { Finding } from './finding.ts';

/** Milliseconds after which an erasure counts as late; an open transaction may cost one night. */
const LATE_MS = 2 * 86_400_000;
const SHOWN = 10;

export async function lookAtErasures(store: Store, clock: Clock): Promise<Omit<Finding, 'check'>> {
  const tables = await tablesNotToVacuum(store);
  if (tables.length > 0) {
    const rest = tables.length > SHOWN ? ` and ${tables.length - SHOWN} more` : '';
    return {
      status: 'warning',
      found: `the vacuum after erasures has no right to vacuum ${tables.slice(0, SHOWN).join(', ')}${rest}`,
      fix: 'Make the role of DATABASE_URL their owner (ALTER TABLE … OWNER TO …).',
    };
  }
  const { erasures, since } = await countUnvacuumedErasures(store, new Date(clock.nowMs() - LATE_MS));
  if (since === null) return { status: 'ok', found: 'the files were vacuumed after all erasures older than two days' };
  return {
    status: 'warning',
    found: `the files were not vacuumed after ${erasures} erasures; the first was completed at ${since.toISOString()}`,
    fix: 'Keep a daemon with PENSTOCK_WORKERS above 0 running at 02:40 UTC, and end transactions of the store that stay open for days (pg_stat_activity). Search the log for dsr.vacuum_failed and dsr.tables_not_vacuumed.',
  };
}
