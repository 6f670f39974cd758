// Temporary tables of a delivery. They are made once a session and emptied by its commits; a session comes from a pool, so
// each delivery asks for them anew, which costs 0.1 ms where they are there.
import type { Transaction } from '../store/index.ts';

const PREPARE = `
SET LOCAL client_min_messages = warning;
CREATE TEMP TABLE IF NOT EXISTS people_keys (ordinal int4, key uuid) ON COMMIT DELETE ROWS;
CREATE TEMP TABLE IF NOT EXISTS people_profiles (ordinal int4, mpid int8, row_hash uuid, with_texts bool)
  ON COMMIT DELETE ROWS;
CREATE TEMP TABLE IF NOT EXISTS people_updates (mpid int8, version int4, holds_login bool, identities text,
  attributes text, attribute_times text, row_hash uuid) ON COMMIT DELETE ROWS;
DELETE FROM people_keys;
DELETE FROM people_profiles;
DELETE FROM people_updates;
SET LOCAL enable_hashjoin = off;
SET LOCAL enable_mergejoin = off;
SET LOCAL jit = off`;

/**
 * Makes or empties the staging tables (a transaction may deliver several chunks). The joins over them are pinned to index
 * look-ups for the rest of the transaction: nobody gathers statistics on a temporary table, and a plan that reads all
 * profiles for a chunk would grow slower with the workspace. Index look-ups in key order also lock in key order.
 */
export async function prepareStaging(tx: Transaction): Promise<void> {
  await tx.execute(PREPARE);
}
