// A process of its own that answers every statement with the same rows of ten columns, in parts as Snowflake sends them.
import { openFakeSnowflake } from '../../test/support/fakes/fake-snowflake.ts';

const PART_ROWS = 10_000;
const CITIES = ['Amsterdam', 'Berlin', 'Copenhagen town', 'Lisbon'];

const [, , count = '300000'] = process.argv;
const rows = Array.from({ length: Number(count) }, (_, n) => [
  ...[String(n), `user${n}@example.com`, `Name ${n % 5000}`, CITIES[n % 4] ?? null],
  ...[((n % 100_000) / 100).toFixed(2), String(n % 1000), String(n / 7)],
  ...[
    `${1_577_836_800 + n * 37}.${String(n % 1_000_000).padStart(6, '0')}000`,
    String(n % 20_000),
    n % 2 === 0 ? '1' : '0',
  ],
]);
const columns = [
  { name: 'CUSTOMER_ID', type: 'fixed', scale: 0 },
  { name: 'EMAIL', type: 'text' },
  { name: 'NAME', type: 'text' },
  { name: 'CITY', type: 'text' },
  { name: 'AMOUNT', type: 'fixed', precision: 12, scale: 2 },
  { name: 'VISITS', type: 'fixed', scale: 0 },
  { name: 'SCORE', type: 'real' },
  { name: 'UPDATED_AT', type: 'timestamp_ntz', scale: 9 },
  { name: 'BORN', type: 'date' },
  { name: 'ACTIVE', type: 'boolean' },
];
// formats that lose nothing: without them the SDK's own texts of times are not exact
const parameters = [
  { name: 'TIMEZONE', value: 'UTC' },
  { name: 'DATE_OUTPUT_FORMAT', value: 'YYYY-MM-DD' },
  { name: 'TIMESTAMP_NTZ_OUTPUT_FORMAT', value: 'YYYY-MM-DD"T"HH24:MI:SS.FF9' },
];
const result = { columns, rows, partRows: PART_ROWS };
const server = await openFakeSnowflake({ answer: () => result, parameters });
console.log(server.port);
