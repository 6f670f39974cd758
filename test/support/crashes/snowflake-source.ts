import { openSnowflakeWarehouse } from '../fakes/snowflake-warehouse.ts';
import type { CrashSource } from './crash-source.ts';

const TABLE =
  'number NUMBER(38,0), buyer NUMBER(38,0), name TEXT, amount NUMBER(12,2), score FLOAT, changed_at TIMESTAMP_TZ';
const TYPES = { number: 'NUMBER(38,0)', buyer: 'NUMBER(38,0)', name: 'TEXT', amount: 'NUMBER(12,2)', score: 'FLOAT' };

/** A database of its own on the local Snowflake server. */
export async function snowflakeSource(): Promise<CrashSource> {
  const warehouse = await openSnowflakeWarehouse();
  await warehouse.seed([`CREATE TABLE shop_rows (${TABLE})`]);
  const columns = Object.entries(TYPES).map(([name, type]) => `CAST(CAST(given.value:${name} AS TEXT) AS ${type})`);
  const insert = `INSERT INTO shop_rows SELECT ${columns.join(', ')}, CAST(CAST(given.value:changed_at AS TEXT) AS TIMESTAMP_TZ)
    FROM TABLE(FLATTEN(INPUT => PARSE_JSON(?))) AS given`;
  return {
    connection: { service_provider: 'Alpha', config: warehouse.config },
    append: (rows) => warehouse.insert(insert, [JSON.stringify(rows)]),
    run: (statement) => warehouse.seed([statement]),
    [Symbol.asyncDispose]: () => warehouse[Symbol.asyncDispose](),
  };
}
