// A Redshift with COPY over a real PostgreSQL, its table of people and its bucket at moto.
import { redshift } from '../../../connectors/redshift/index.ts';
import type { StagedRow, WriteBackRequest, WriteBackTarget } from '../../../src/warehouse/index.ts';
import { NEVER } from '../../conformance/reading.ts';
import { staged, writeBackOf } from '../../conformance/writing-back.ts';
import { type CopyingOptions, LOAD_ERRORS } from '../fakes/copying-redshift.ts';
import { openPostgresWarehouse } from '../fakes/postgres-warehouse.ts';
import { openUnloadingRedshift } from '../fakes/unloading-redshift.ts';
import { warehouseEnvironment } from '../fakes/warehouse-environment.ts';
import { serverOf } from './on-server.ts';
import { bucketFields, getObjects } from './test-bucket.ts';

export const COPY_BUCKET = 'shop-penstock-copy';
/** One more than an INSERT of keys of one column holds. */
export const MANY = 10_667;
export const TARGET: WriteBackTarget = {
  table: 'people',
  key: [{ name: 'customer_id', type: 'text', nativeType: 'character varying(65535)' }],
  mpid: { name: 'mpid', type: 'integer', nativeType: 'bigint' },
};

/** Texts that CSV, literals and markers of NULL get wrong, among them the longest that a column takes, in one and four bytes. */
export const AWKWARD: readonly string[] = [
  ...[
    '',
    ' ',
    '  blanks  ',
    '"',
    '""',
    '"quoted"',
    "it's",
    ',',
    'a,b',
    '\\',
    '\\N',
    '\\n',
    'back\\slash\\',
    'NULL',
    '\\.',
  ],
  ...[
    '\n',
    'two\nlines',
    '\r',
    '\r\n',
    'a\r\nb',
    '\t',
    '\u0001',
    '\u001a',
    '\ufeff',
    'größe',
    '日本',
    '😀',
    'e\u0301',
    '\u2028',
  ],
  ...['"'.repeat(65_535), 'x'.repeat(65_535), '\n'.repeat(65_535), `${'😀'.repeat(16_383)}abc`],
];

/** Statements for a table of `MANY` people: the numbered ones. Those with awkward keys, which come first, are added to it. */
export const PEOPLE = [
  'CREATE TABLE people (customer_id varchar(65535), n integer, price numeric(18,4), mpid bigint)',
  `INSERT INTO people SELECT CAST(n AS varchar), n, n + 0.0001 FROM generate_series(${AWKWARD.length}, ${MANY - 1}) AS series (n)`,
];

export interface CopySite {
  readonly copies?: Partial<CopyingOptions>;
  readonly fields?: object;
  readonly people?: readonly string[];
}

/** Opens a session that writes back to a table of `people` through S3. */
export async function openCopySite({ copies = {}, fields = {}, people = PEOPLE }: CopySite = {}) {
  const warehouse = await openPostgresWarehouse();
  const texts = AWKWARD.map(
    (text, n) => `(convert_from('\\x${Buffer.from(text).toString('hex')}', 'UTF8'), ${n}, ${n}.5)`,
  );
  const { database, user, password } = warehouse.config;
  await warehouse.seed([
    ...people,
    `INSERT INTO people (customer_id, n, price) VALUES ${texts.join(', ')}`,
    `GRANT UPDATE ON people TO ${user}`,
    LOAD_ERRORS,
    `GRANT SELECT ON sys_load_error_detail TO ${user}`,
  ]);
  const server = await openUnloadingRedshift({
    warehouse,
    put: async () => undefined,
    copies: { get: getObjects, ...copies },
  });
  const config = {
    ...{ host: '127.0.0.1', port: String(server.port), sslmode: 'disable', database, user, password },
    ...bucketFields(COPY_BUCKET),
    ...fields,
  };
  const environment = warehouseEnvironment({ endpoints: serverOf('aws').endpoints, writes: true });
  const session = await redshift.open(config, environment, NEVER);
  return {
    warehouse,
    config,
    apply: (request: WriteBackRequest, signal: AbortSignal = NEVER) => writeBackOf(session).apply(request, signal),
    sent: (word: string) => server.received.filter((entry) => /^[QP] /.test(entry) && entry.slice(2).startsWith(word)),
    async [Symbol.asyncDispose]() {
      await session[Symbol.asyncDispose]();
      await server[Symbol.asyncDispose]();
      await warehouse[Symbol.asyncDispose]();
    },
  };
}

function keyOf(n: number): string {
  return AWKWARD[n] ?? String(n);
}

/** Returns a row for each of the people; the MPID is one more than `n`. */
export function everyone(): readonly StagedRow[] {
  return Array.from({ length: MANY }, (_, n) => staged(keyOf(n), BigInt(n) + 1n));
}
