// Runs that pause until the test continues them, so that a kill hits unfinished work even on a busy machine.
import type { Store } from '../../../src/store/index.ts';

export interface HeldRuns {
  /** Over the store as it is now, which may have been started anew. */
  release(site: { readonly store: Store }): Promise<void>;
}

const TRIGGER = [
  'CREATE TABLE IF NOT EXISTS test_hold (most bigint NOT NULL)',
  `CREATE OR REPLACE FUNCTION test_hold() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     WHILE EXISTS (SELECT FROM test_hold WHERE NEW.extracted_records > most OR (NEW.ended_on IS NOT NULL
         AND (SELECT count(*) FROM pipeline_runs WHERE ended_on IS NULL AND id <> NEW.id) < 2)) LOOP
       PERFORM pg_sleep(0.02);
     END LOOP;
     RETURN NEW;
   END $$`,
  `CREATE OR REPLACE TRIGGER test_hold BEFORE UPDATE ON pipeline_runs FOR EACH ROW EXECUTE FUNCTION test_hold()`,
];

/**
 * Until it is released two runs do not end, and none delivers more than `most` rows; kills do not change that. The others may
 * end, because of runs that lost their worker twice a daemon works on one at a time.
 */
export async function holdRuns(
  { store }: { readonly store: Store },
  most = Number.MAX_SAFE_INTEGER,
): Promise<HeldRuns> {
  for (const statement of TRIGGER) await store.execute(statement);
  await store.execute('INSERT INTO test_hold VALUES ($1)', [most]);
  return {
    async release({ store }) {
      await store.execute('DELETE FROM test_hold');
    },
  };
}
