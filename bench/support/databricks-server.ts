// A SQL warehouse whose rows are made before anybody asks: what reading costs is then the client's alone. A process of its own,
// which prints its port. `node databricks-server.ts ROWS`.
import {
  Bool,
  DateDay,
  Decimal,
  Field,
  Float64,
  Int32,
  Int64,
  makeData,
  RecordBatch,
  RecordBatchWriter,
  Schema,
  Struct,
  Timestamp,
  TimeUnit,
  Utf8,
  vectorFromArray,
} from 'apache-arrow';
import { openDatabricksWire, type WireAnswer } from '../../test/support/fakes/databricks-wire.ts';
import { T } from '../../test/support/servers/databricks/thrift.ts';

const BATCH_ROWS = 10_000;
const MICROS = 1_577_836_800_000_000n;
const CITIES = ['Amsterdam', 'Berlin', 'Copenhagen town', 'Lisbon'];
const numbers = Array.from({ length: BATCH_ROWS }, (_, n) => n);

interface BenchColumn {
  readonly name: string;
  readonly native: string;
  readonly data: unknown;
}

function column(name: string, native: string, data: unknown): BenchColumn {
  return { name, native, data };
}

function texts(of: (n: number) => string): unknown {
  return vectorFromArray(numbers.map(of), new Utf8()).data[0];
}

function fixed(type: object, data: object): unknown {
  return makeData({ type, length: BATCH_ROWS, nullCount: 0, data } as never);
}

function decimals(of: (n: number) => number): unknown {
  const words = new Uint32Array(BATCH_ROWS * 4);
  for (const n of numbers) words[4 * n] = of(n);
  return fixed(new Decimal(2, 12, 128), words);
}

const PLAIN: readonly BenchColumn[] = [
  column(
    'customer_id',
    'bigint',
    fixed(
      new Int64(),
      BigInt64Array.from(numbers, (n) => BigInt(n)),
    ),
  ),
  column(
    'email',
    'string',
    texts((n) => `user${n}@example.com`),
  ),
  column(
    'name',
    'string',
    texts((n) => `Name ${n % 5000}`),
  ),
  column(
    'city',
    'string',
    texts((n) => CITIES[n % 4] ?? ''),
  ),
  column(
    'amount',
    'decimal(12,2)',
    decimals((n) => n * 37),
  ),
  column(
    'visits',
    'int',
    fixed(
      new Int32(),
      Int32Array.from(numbers, (n) => n % 1000),
    ),
  ),
  column(
    'score',
    'double',
    fixed(
      new Float64(),
      Float64Array.from(numbers, (n) => n * 0.37),
    ),
  ),
  column(
    'updated_at',
    'timestamp',
    fixed(
      new Timestamp(TimeUnit.MICROSECOND, 'Etc/UTC'),
      BigInt64Array.from(numbers, (n) => MICROS + BigInt(n) * 37_000_001n),
    ),
  ),
  column(
    'born',
    'date',
    fixed(
      new DateDay(),
      Int32Array.from(numbers, (n) => n - 7305),
    ),
  ),
  column(
    'active',
    'boolean',
    vectorFromArray(
      numbers.map((n) => n % 2 === 0),
      new Bool(),
    ).data[0],
  ),
];
/** What casts to STRING give. */
const AS_TEXTS = PLAIN.map((of) => {
  if (of.name === 'amount') return { ...of, data: texts((n) => ((n * 37) / 100).toFixed(2)) };
  if (of.name === 'updated_at')
    return { ...of, data: texts((n) => `2020-01-01 00:${String(n % 60).padStart(2, '0')}:00.000001`) };
  return of.name === 'born' ? { ...of, data: texts((n) => `1950-01-${String((n % 28) + 1).padStart(2, '0')}`) } : of;
});

function answerOf(columns: readonly BenchColumn[], rows: number): WireAnswer {
  const schema = new Schema(columns.map(({ name, data }) => new Field(name, (data as { type: never }).type, true)));
  const children = columns.map(({ data }) => data as never);
  const batch = new RecordBatch(schema, makeData({ type: new Struct(schema.fields), length: BATCH_ROWS, children }));
  const ipc = (withBatch: boolean) => {
    const writer = new RecordBatchWriter();
    writer.reset(undefined, schema);
    if (withBatch) writer.write(batch);
    writer.finish();
    return Buffer.from(writer.toUint8Array(true)).subarray(0, -8);
  };
  const head = ipc(false);
  const one = { bytes: ipc(true).subarray(head.length), rows: BATCH_ROWS };
  return {
    schema: head,
    columns: columns.map(({ name }) => name),
    batches: Array(Math.ceil(rows / BATCH_ROWS)).fill(one),
  };
}

function textColumn(values: readonly string[]) {
  return new T.TColumn({ stringVal: new T.TStringColumn({ values: [...values], nulls: Buffer.alloc(0) }) } as never);
}

const rows = Number(process.argv[2]);
const [plain, asTexts] = [answerOf(PLAIN, rows), answerOf(AS_TEXTS, rows)];
const described: WireAnswer = {
  columnSet: [textColumn(PLAIN.map(({ name }) => name)), textColumn(PLAIN.map(({ native }) => native))],
};
const wire = await openDatabricksWire({
  answer(sql) {
    if (sql.startsWith('DESCRIBE')) return described;
    if (!sql.startsWith('SELECT')) return { columnSet: [] };
    if (sql.includes('linked_people')) return { ...plain, linked: () => 3_600_000 };
    return sql.includes('CAST(') ? asTexts : plain;
  },
});
console.log(wire.port);
