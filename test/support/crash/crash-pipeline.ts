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

interface PeopleSpec {
  readonly id: string;
  readonly mode: Mode;
  readonly source: CrashSource;
}

/** One person a number, found by `<id>-<number>`; equal rows are the same person. */
export async function peoplePipeline(api: ApiClient, { id, mode, source }: PeopleSpec): Promise<CrashPipeline> {
  const time = mode === 'full' ? '' : ', changed_at';
  const sql_query = `SELECT '${id}-' || number AS customer_id, name, amount, score${time} FROM shop_rows`;
  const base = { id, name: id, state: 'active' };
  await api.post('/connections', { ...base, ...source.connection });
  await api.post('/data-models', { ...base, type: 'sql', config: { sql_query } });
  await api.post(PIPELINES, {
    ...{ ...base, pipeline_type: 'user_attributes', connection_id: id, data_model_id: id, environment: 'production' },
    sync_mode: { type: mode, ...(mode === 'full' ? {} : ITERATOR) },
    schedule: { type: 'on_demand' },
  });
  return expectations(
    { id, mode, source },
    {
      // equal rows, and the rows of a later full run, are the same person
      texts: (rows) => [...new Set(rows.filter((row) => !fails(row)).map((row) => personText(id, row)))],
      kept: (store) => keptPeople(store, id),
      together: (before, now) => [...new Map([...before, ...now].map((text) => [customerOf(text), text])).values()],
    },
  );
}

function expectations(
  { id, mode, source }: PeopleSpec,
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
    const { name, amount, score } = parseJson(attributes) as Readonly<Record<string, unknown>>;
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
  return rows.map(({ row }) => failedText(parseJson(row) as unknown as SourceRow));
}

/** The name says the number. */
function failedText({ name, amount }: Pick<SourceRow, 'name' | 'amount'>): string {
  return JSON.stringify([name, Number(amount)]);
}
