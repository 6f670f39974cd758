// `npm run bench -- sync [rows] --events`: orders of a DuckDB file and of a PostgreSQL become commerce events of people, three
// orders a person that follow each other, two identities and ten columns a row.
import { join } from 'node:path';
import { type BenchDaemon, mainPidOf, startBenchDaemon } from './daemon.ts';
import { type Measured, measureRun, tableOf } from './measure-run.ts';
import { duckdbOrders, type OrdersWarehouse, postgresOrders } from './orders-warehouse.ts';

const column = (source: string, destination: string) => ({ mapping_type: 'column', source, destination });
const always = (value: string, destination: string) => ({ mapping_type: 'static', value, destination });
const ACTION = 'events.data.product_action';
const MAPPINGS = [
  always('commerce_event', 'events.event_type'),
  always('purchase', `${ACTION}.action`),
  always('USD', 'events.data.currency_code'),
  column('customer_id', 'user_identities.customer_id'),
  column('email', 'user_identities.email'),
  column('order_id', `${ACTION}.transaction_id`),
  column('amount', `${ACTION}.total_amount`),
  column('sku', `${ACTION}.products.id`),
  column('price', `${ACTION}.products.price`),
  column('quantity', `${ACTION}.products.quantity`),
  column('channel', 'events.data.custom_attributes.channel'),
  column('note', 'events.data.custom_attributes.note'),
  column('updated_at', 'events.data.timestamp_unixtime_ms'),
];
const ITERATOR = { iterator_field: 'updated_at', iterator_data_type: 'timestamp_tz' };
const SYNC_MODES = { full: { type: 'full' }, incremental: { type: 'incremental', ...ITERATOR } };

async function define({ api }: BenchDaemon, { id, connection, model }: OrdersWarehouse): Promise<void> {
  const base = { id, name: id, state: 'active' };
  await api.post('/connections', { ...base, ...connection });
  await api.post('/data-models', { ...base, type: 'sql', config: { sql_query: model } });
  await api.post('/field-transformations', { id, name: id, destination_type: 'events', mappings: MAPPINGS });
  for (const [mode, sync_mode] of Object.entries(SYNC_MODES)) {
    await api.post('/inputs/data-pipelines', {
      ...{ ...base, id: `${id}-${mode}`, pipeline_type: 'events', environment: 'production', sync_mode },
      ...{ connection_id: id, data_model_id: id, field_transformation_id: id, schedule: { type: 'on_demand' } },
    });
  }
}

async function measureReader({ id, readValues }: OrdersWarehouse): Promise<Measured> {
  const cpu = process.cpuUsage();
  const started = performance.now();
  const rows = await readValues();
  const seconds = (performance.now() - started) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  return { name: `${id}: the driver alone`, rows, seconds, nodeMicros: user + system, postgresMicros: 0, peakMb: null };
}

/** A daemon and a store of its own for each warehouse, so that neither finds what the other left. */
async function benchWarehouse(open: (folder: string) => Promise<OrdersWarehouse>): Promise<readonly object[]> {
  await using daemon = await startBenchDaemon();
  await using warehouse = await open(daemon.folder);
  await define(daemon, warehouse);
  const { id } = warehouse;
  const pid = warehouse.store === undefined ? undefined : await mainPidOf(warehouse.store);
  const reader = await measureReader(warehouse);
  const full = await measureRun(daemon, { id: `${id}-full`, name: `${id}: nobody known, full` }, pid);
  const known = { id: `${id}-incremental`, name: `${id}: everybody known, incremental` };
  return tableOf([reader, full, await measureRun(daemon, known, pid)], { driver: reader });
}

export async function benchEvents(rows: number): Promise<void> {
  const measured = [
    ...(await benchWarehouse((folder) => duckdbOrders(join(folder, 'orders.duckdb'), rows))),
    ...(await benchWarehouse(() => postgresOrders(rows))),
  ];
  console.table(measured);
  console.log(JSON.stringify({ rows, measured }));
}
