import { databricks } from '../../../connectors/databricks/index.ts';
import { DATABRICKS_CONFIG, databricksEndpoint } from '../../support/fakes/databricks-warehouse.ts';
import { openDatabricksWire, type WireAnswer, type WireBehaviour } from '../../support/fakes/databricks-wire.ts';
import { T } from '../../support/servers/databricks/thrift.ts';
import { NEVER } from '../reading.ts';

export const CONFIG = { ...DATABRICKS_CONFIG, schema: 'shop' };
export const TOKEN = { token: 'dapi0123' };

/** Opens a session of the connector, with the unmodified SDK, on a wire server of its own. */
export async function openWire(behaviour: WireBehaviour, config: object = TOKEN, decided = {}) {
  const wire = await openDatabricksWire(behaviour);
  const session = await databricks.open({ ...CONFIG, ...config }, databricksEndpoint(wire.port, decided), NEVER);
  return {
    wire,
    session,
    async [Symbol.asyncDispose]() {
      await session[Symbol.asyncDispose]();
      await wire[Symbol.asyncDispose]();
    },
  };
}

export const texts = (...values: readonly (string | null)[]) =>
  new T.TColumn({
    stringVal: new T.TStringColumn({ values: values.map((value) => value ?? ''), nulls: nullsOf(values) }),
  } as never);
export const nullsOf = (values: readonly unknown[]) =>
  Buffer.from([values.reduce((bits: number, value, at) => bits | (value === null ? 1 << at : 0), 0)]);
export const NO_ROWS: WireAnswer = { columnSet: [] };
export const CLOCK: WireAnswer = { columnSet: [texts('1704067200000001')] };

/** Answers by how the statement begins. */
export function answers(table: Readonly<Record<string, WireAnswer>>): WireBehaviour['answer'] {
  return (sql) => Object.entries(table).find(([start]) => sql.startsWith(start))?.[1] ?? NO_ROWS;
}
