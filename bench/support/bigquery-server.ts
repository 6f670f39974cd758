// People in BigQuery's place, for read-bigquery.ts: a process of its own that prints its ports and sends what it has made before.
import { openJobsApi, type QueryAnswer, type WireField } from '../../test/support/bigquery/jobs-api.ts';
import { openStorageApi } from '../../test/support/bigquery/storage-api.ts';

const FIELDS: readonly WireField[] = [
  ['customer_id', 'INTEGER'],
  ['email', 'STRING'],
  ['name', 'STRING'],
  ['city', 'STRING'],
  ['amount', 'NUMERIC'],
  ['visits', 'INTEGER'],
  ['score', 'FLOAT'],
  ['updated_at', 'TIMESTAMP'],
  ['born', 'DATE'],
  ['active', 'BOOLEAN'],
].map(([name = '', type = '']) => ({ name, type, mode: 'NULLABLE' }));

const CITIES = ['Amsterdam', 'Berlin', 'Copenhagen town', 'Lisbon'];
const DAY_MS = 86_400_000;

function person(n: number) {
  const values = [
    ...[String(n), `user${n}@example.com`, `Name ${n % 5000}`, CITIES[n % 4], String((n % 100_000) / 100)],
    ...[String(n % 1000), String(Math.sin(n)), String(1_577_836_800_000_000 + n * 37_000_001)],
    ...[new Date((n % 20_000) * DAY_MS).toISOString().slice(0, 10), String(n % 2 === 0)],
  ];
  return { f: values.map((v) => ({ v })) };
}

const rows = Array.from({ length: Number(process.argv[2]) }, (_, n) => person(n));
const answer: QueryAnswer = { fields: FIELDS, rows };
const api = await openJobsApi({
  run: async () => answer,
  describe: async () => ({ fields: FIELDS, statementType: 'SELECT' }),
  other: async () => ({ status: 200, body: { location: 'EU' } }),
});
const storage = await openStorageApi(api);
process.stdout.write(`${api.port} ${storage.port}\n`);
