// Temporary tables of a delivery. They are created once a session and emptied by its commits. A session comes from a pool, so
// each delivery creates them if they are missing, which costs 0.1 ms where they exist.
import type { Transaction } from '../../store/index.ts';
import { type Probe, probeFor } from '../resolve/probe.ts';

const PREPARE = `
SET LOCAL client_min_messages = warning;
CREATE TEMP TABLE IF NOT EXISTS people_logins (key uuid, row_hash uuid) ON COMMIT DELETE ROWS;
CREATE TEMP TABLE IF NOT EXISTS people_keys (key uuid) ON COMMIT DELETE ROWS;
CREATE TEMP TABLE IF NOT EXISTS people_profiles (ordinal int4, mpid int8, row_hash uuid, with_texts bool)
  ON COMMIT DELETE ROWS;
CREATE TEMP TABLE IF NOT EXISTS people_updates (mpid int8, version int4, holds_login bool, identities text,
  attributes text, attribute_times text, row_hash uuid) ON COMMIT DELETE ROWS;
DELETE FROM people_logins;
DELETE FROM people_keys;
DELETE FROM people_profiles;
DELETE FROM people_updates;
SET LOCAL enable_seqscan = off;
SET LOCAL enable_bitmapscan = off;
SET LOCAL enable_nestloop = off;
SET LOCAL enable_hashjoin = off;
SET LOCAL enable_memoize = off;
SET LOCAL jit = off`;

/**
 * Creates or empties the staging tables (a transaction may deliver several chunks), and pins the plans of the statements over
 * them for the rest of the transaction. A temporary table has no statistics, and those of a workspace that grows are old. Left
 * alone, the planner takes the workspace for a handful of profiles and compares each with the whole chunk (measured: 8 minutes
 * for 100,000 profiles). So staged rows are looked up by a `Probe`, which this server can only run as index look-ups, and joins
 * merge: the staged rows and the profiles found both come in order of MPID.
 */
export async function prepareStaging(tx: Transaction): Promise<Probe> {
  await tx.execute(PREPARE);
  const [server] = await tx.query<{ version: number }>(`SELECT current_setting('server_version_num')::int4 AS version`);
  return probeFor(server?.version ?? 0);
}
