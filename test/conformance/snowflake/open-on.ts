import { snowflake } from '../../../connectors/snowflake/index.ts';
import type { ConnectorEnvironment, Session } from '../../../src/warehouse/index.ts';
import { SNOWFLAKE_CONFIG, snowflakeEndpoint } from '../../support/fakes/snowflake-warehouse.ts';
import { NEVER } from '../reading.ts';

export const CONFIG = { ...SNOWFLAKE_CONFIG, database: 'SHOP' };

/** Opens a session over whatever listens on that port; a field that is undefined is left out. */
export function openOn(
  port: number,
  changed: Readonly<Record<string, unknown>> = {},
  decided: Partial<ConnectorEnvironment> = {},
): Promise<Session> {
  const config = Object.fromEntries(
    Object.entries({ ...CONFIG, ...changed }).filter(([, value]) => value !== undefined),
  );
  return snowflake.open(config, snowflakeEndpoint(port, decided), NEVER);
}

export async function failureOf(work: () => Promise<unknown>): Promise<Error> {
  const failure = await work().then(
    () => undefined,
    (thrown: Error) => thrown,
  );
  if (failure === undefined) throw new Error('It went well all the same.');
  return failure;
}
