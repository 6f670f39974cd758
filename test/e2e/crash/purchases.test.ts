import { join } from 'node:path';
import { expect, test } from 'vitest';
import { PIPELINES } from '../../support/crashes/crash-pipeline.ts';
import { openCrashSite, untilOver, untilShare } from '../../support/crashes/crash-site.ts';
import { holdRuns } from '../../support/crashes/held-runs.ts';
import { chooseSeed, seededRandom } from '../../support/crashes/seeded-random.ts';
import { DEVELOPMENT, expectAllPurchases, PRODUCTION, PURCHASE_MAPPINGS } from '../../support/runs/purchase-events.ts';
import { createPurchases, KNOWN } from '../../support/runs/purchases.ts';

const BASE = { name: 'Purchases', state: 'active' };
const BY_DAY = { type: 'incremental', iterator_field: 'purchased_on', iterator_data_type: 'date' };

test('the purchases are 69,659 events of 23,570 people, also where a daemon was killed while it loaded them', async () => {
  const random = seededRandom(chooseSeed('purchases'));
  await using site = await openCrashSite({ store: 'embedded', chunkRows: 2000 });
  const first = await site.serve();
  const { api, folder } = site;
  const file = join(folder, 'shop.duckdb');
  await createPurchases(file);
  const config = { database: 'shop.duckdb', read_only: true };
  const sql_query = 'SELECT customer_id, purchased_on, cds, amount FROM purchases';
  const mappings = PURCHASE_MAPPINGS.map(({ type, ...rest }) => ({ mapping_type: type, ...rest }));
  await api.post('/connections', { ...BASE, id: 'shop', service_provider: 'DuckDB', config });
  await api.post('/data-models', { ...BASE, id: 'purchases', type: 'sql', config: { sql_query } });
  await api.post('/field-transformations', { id: 'buy', name: 'Buy', destination_type: 'events', mappings });
  const held = await holdRuns(site, 60_000);
  const runIds: number[] = [];
  for (const [environment, sync_mode] of [
    ['production', { type: 'full' }] as const,
    ['development', BY_DAY] as const,
  ]) {
    await api.post(PIPELINES, {
      ...{ ...BASE, id: environment, environment, sync_mode, schedule: { type: 'on_demand' }, pipeline_type: 'events' },
      ...{ connection_id: 'shop', data_model_id: 'purchases', field_transformation_id: 'buy' },
    });
    const { pipeline_run_id } = await api.post(`${PIPELINES}/trigger`, { pipeline_id: environment });
    runIds.push(Number(pipeline_run_id));
  }
  expect(await untilShare(site, { runIds, rows: 2 * KNOWN.purchases }, 0.1 + 0.7 * random())).toBe(true);
  await site.end(first, 'SIGKILL');
  await site.serve();
  await held.release(site);
  const counts = { extracted_records: KNOWN.purchases, successful_records: KNOWN.purchases };
  for (const [index, environment] of [PRODUCTION, DEVELOPMENT].entries()) {
    const id = environment === PRODUCTION ? 'production' : 'development';
    expect(await untilOver(site, { id }, runIds[index] ?? 0)).toMatchObject({ status: 'success', ...counts });
    await expectAllPurchases(site.store, file, environment);
  }
}, 900_000);
