import type { ApiClient } from '../../../src/cli/api-client.ts';
import { parseJson } from '../../../src/kernel/index.ts';
import type { Store } from '../../../src/store/index.ts';
import type { CrashSource } from './crash-source.ts';
import { type Difference, differenceOf } from './multiset.ts';
import { fails, type SourceRow } from './source-rows.ts';

export type Mode = 'full' | 'incremental';

/** A pipeline over a source of its own, and what it has to have delivered by now. */
export interface CrashPipeline {
  readonly id: string;
  readonly mode: Mode;
  readonly source: CrashSource;
  /** Adds rows to the source. */
  append(rows: readonly SourceRow[]): Promise<void>;
  /** Rows that its next run reads when nothing goes wrong. */
  readonly waiting: readonly SourceRow[];
  /** Rows that its next run reads once more, because they lie in its lookback, and does not deliver again. */
  readonly known: readonly SourceRow[];
  /** To be called when a run was triggered: what waits is expected from now on. */
  expectRun(): void;
  /** Every row that is missing or there too often, of what is kept and of the failed records; empty when all is well. */
  differences(store: Store): Promise<Differences>;
  /** What rows look like once they are kept. */
  texts(rows: readonly SourceRow[]): readonly string[];
  /** What is kept, in the same words. */
  kept(store: Store): Promise<readonly string[]>;
  /** What has to be there when a crash had left `before`, and the run that went on read `now`. */
  together(before: readonly string[], now: readonly string[]): readonly string[];
}

export interface Differences {
  readonly kept: Difference;
  readonly failed: Difference;
}

export const PIPELINES = '/inputs/data-pipelines';
const ITERATOR = { iterator_field: 'changed_at', iterator_data_type: 'timestamp_tz' };

interface PipelineSpec {
  readonly id: string;
  readonly mode: Mode;
  /** Of an incremental one; long enough for all rows of a test. */
  readonly lookback?: '1d';
  readonly source: CrashSource;
}

/** One person a number, found by `<id>-<number>`; equal rows are the same person. */
export async function peoplePipeline(api: ApiClient, spec: PipelineSpec): Promise<CrashPipeline> {
  const { id } = spec;
  await define(api, spec, { select: `'${id}-' || number AS customer_id, name, amount, score` });
  return expectations(spec, {
    // equal rows, and the rows of a later full run, are the same person
    texts: (rows) => [...new Set(rows.filter((row) => !fails(row)).map((row) => personText(id, row)))],
    kept: (store) => keptPeople(store, id),
    together: (before, now) => [...new Map([...before, ...now].map((text) => [customerOf(text), text])).values()],
  });
}

const MAPPINGS = {
  static: { custom_event: 'events.event_type', other: 'events.data.custom_event_type' },
  column: {
    customer_id: 'user_identities.customer_id',
    name: 'events.data.event_name',
    amount: 'events.data.custom_attributes.amount',
    score: 'events.data.custom_attributes.score',
  },
};

/** Body of the pipeline's field transformation; `ignored` is a column that goes nowhere. */
export function transformationBody(id: string, ignored?: string): object {
  const columns = Object.entries(MAPPINGS.column).map(([source, destination]) =>
    source === ignored ? { mapping_type: 'ignore', source } : { mapping_type: 'column', source, destination },
  );
  const statics = Object.entries(MAPPINGS.static).map(([value, destination]) => ({
    ...{ mapping_type: 'static', value, destination },
  }));
  return { id, name: id, destination_type: 'events', mappings: [...statics, ...columns] };
}

/** One event a row, of the buyer `<id>-<buyer>`; equal rows are two events, and a later full run delivers all of them again. */
export async function eventsPipeline(api: ApiClient, spec: PipelineSpec): Promise<CrashPipeline> {
  const { id } = spec;
  await api.post('/field-transformations', transformationBody(id));
  const more = { pipeline_type: 'events', field_transformation_id: id };
  await define(api, spec, { select: `'${id}-' || buyer AS customer_id, name, amount, score`, more });
  return expectations(spec, {
    texts: (rows) => rows.filter((row) => !fails(row)).map((row) => eventText(id, row)),
    kept: (store) => keptEvents(store, id),
    together: (before, now) => largest(before, now),
  });
}

interface Definition {
  readonly select: string;
  readonly more?: object;
}

async function define(
  api: ApiClient,
  { id, mode, source, lookback }: PipelineSpec,
  definition: Definition,
): Promise<void> {
  const { select, more = { pipeline_type: 'user_attributes' } } = definition;
  const sql_query = `SELECT ${select}${mode === 'full' ? '' : ', changed_at'} FROM ${source.from ?? 'shop_rows'}`;
  const base = { id, name: id, state: 'active' };
  await api.post('/connections', { ...base, ...source.connection });
  await api.post('/data-models', { ...base, type: 'sql', config: { sql_query } });
  await api.post(PIPELINES, {
    ...{ ...base, ...more, connection_id: id, data_model_id: id, environment: 'production' },
    sync_mode: { type: mode, ...(mode === 'full' ? {} : { ...ITERATOR, ...(lookback && { lookback }) }) },
    schedule: { type: 'on_demand' },
  });
}

function expectations(
  { id, mode, source, lookback }: PipelineSpec,
  about: Pick<CrashPipeline, 'texts' | 'kept' | 'together'>,
): CrashPipeline {
  const all: SourceRow[] = [];
  let waiting: SourceRow[] = [];
  let expected: readonly SourceRow[] = [];
  return {
    ...{ id, mode, source, ...about },
    get waiting() {
      return waiting;
    },
    get known() {
      return lookback === undefined ? [] : all.slice(0, all.length - waiting.length);
    },
    async append(rows) {
      await source.append(rows);
      all.push(...rows);
      waiting = mode === 'full' ? [...all] : [...waiting, ...rows];
    },
    expectRun() {
      expected = [...expected, ...waiting];
      waiting = mode === 'full' ? [...all] : [];
    },
    async differences(store) {
      const failed = expected.filter(fails).map(failedText);
      return {
        kept: differenceOf(about.texts(expected), await about.kept(store)),
        failed: differenceOf(failed, await keptFailures(store, id)),
      };
    },
  };
}

function personText(id: string, { number, name, amount }: SourceRow): string {
  return JSON.stringify([`${id}-${number}`, name, Number(amount), 1]);
}

function customerOf(text: string): string {
  return (JSON.parse(text) as [string])[0];
}

async function keptPeople(store: Store, id: string): Promise<readonly string[]> {
  const rows = await store.query<{ identities: string; attributes: string }>(
    'SELECT identities, attributes FROM profiles WHERE starts_with(identities, $1)',
    [`[["customer_id","${id}-`],
  );
  return rows.map(({ identities, attributes }) => {
    const { name, amount, score } = smallNames(attributes);
    const [[, customer]] = JSON.parse(identities) as [[string, string]];
    return JSON.stringify([customer, name, amount, score]);
  });
}

async function keptFailures(store: Store, id: string): Promise<readonly string[]> {
  const rows = await store.query<{ row: string }>(
    `SELECT record.row FROM failed_records AS record
     JOIN pipeline_runs AS run ON run.workspace_id = record.workspace_id AND run.id = record.run_id
     JOIN pipelines AS pipeline ON pipeline.workspace_id = run.workspace_id AND pipeline.number = run.pipeline_number
     WHERE pipeline.id = $1`,
    [id],
  );
  return rows.map(({ row }) => failedText(smallNames(row) as unknown as SourceRow));
}

/** Some products write names large that stand without quotes. */
function smallNames(text: string): Readonly<Record<string, unknown>> {
  const entries = Object.entries(parseJson(text) as Readonly<Record<string, unknown>>);
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value]));
}

/** The name says the number. */
function failedText({ name, amount }: Pick<SourceRow, 'name' | 'amount'>): string {
  return JSON.stringify([name, Number(amount)]);
}

function eventText(id: string, { buyer, name, amount }: SourceRow): string {
  return JSON.stringify([`${id}-${buyer}`, name, Number(amount), 1]);
}

interface KeptBatch {
  readonly user_identities: { readonly customer_id: string };
  readonly events: readonly { readonly data: { readonly event_name: string; readonly custom_attributes: SourceRow } }[];
}

/** Each event with the person that its batch was kept for. */
async function keptEvents(store: Store, id: string): Promise<readonly string[]> {
  const rows = await store.query<{ text: string; identities: string }>(
    `SELECT batch.text, profile.identities FROM event_batches AS batch
     JOIN profiles AS profile ON profile.workspace_id = batch.workspace_id AND profile.environment = batch.environment
       AND profile.mpid = batch.mpid
     WHERE starts_with(profile.identities, $1)`,
    [`[["customer_id","${id}-`],
  );
  return rows.flatMap(({ text, identities }) => {
    const [[, owner]] = JSON.parse(identities) as [[string, string]];
    const { events, user_identities } = parseJson(text) as unknown as KeptBatch;
    const customer = user_identities.customer_id === owner ? owner : `${user_identities.customer_id} kept for ${owner}`;
    return events.map(({ data: { event_name: name, custom_attributes } }) =>
      JSON.stringify([customer, name, custom_attributes.amount, custom_attributes.score]),
    );
  });
}

/** Each text as often as the side that has more of it. */
function largest(left: readonly string[], right: readonly string[]): readonly string[] {
  const rest = [...right];
  const counts = new Map<string, number>();
  for (const text of left) counts.set(text, (counts.get(text) ?? 0) + 1);
  const more = rest.filter((text) => {
    const count = counts.get(text) ?? 0;
    counts.set(text, count - 1);
    return count <= 0;
  });
  return [...left, ...more];
}
