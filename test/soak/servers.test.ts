// Daemons that are killed while they read a warehouse of another vendor: the local server that stands in for it has to run.
import { expect, test } from 'vitest';
import { bigqueryFixture } from '../conformance/fixtures/bigquery.ts';
import { databricksFixture } from '../conformance/fixtures/databricks.ts';
import { everyKind, strikeRound } from '../support/crashes/crash-kills.ts';
import { openCrashSite } from '../support/crashes/crash-site.ts';
import { chooseSeed, seededRandom } from '../support/crashes/seeded-random.ts';
import { type ServerSources, serverSources } from '../support/crashes/server-sources.ts';
import { snowflakeSource } from '../support/crashes/snowflake-source.ts';
import { sourceRows } from '../support/crashes/source-rows.ts';
import { onServer, serverOf } from '../support/warehouses/on-server.ts';

const KILLS = 3;
const ROWS = 3000;
const PATIENCE_MS = 900_000;

async function expectNothingLost(
  product: string,
  { open, environment }: Omit<ServerSources, typeof Symbol.asyncDispose>,
) {
  const random = seededRandom(chooseSeed(`${product} kills`));
  await using site = await openCrashSite({ store: 'embedded', chunkRows: 150, environment });
  let served = await site.serve();
  const pipelines = await everyKind(site, open);
  const rows = sourceRows(0, ROWS);
  for (const pipeline of pipelines) await pipeline.append(rows);
  const strike = async () => {
    await site.end(served, 'SIGKILL');
    served = await site.serve();
  };
  expect(await strikeRound(site, pipelines, { count: KILLS, random, strike })).toBeGreaterThan(0);
}

const TEXT = `a daemon that is killed ${KILLS} times loses no row and doubles none`;

onServer('snowflake', 'Snowflake', () => {
  test(
    TEXT,
    async () => {
      const { accessUrl } = serverOf('snowflake').endpoints.snowflake;
      await using sources = new AsyncDisposableStack();
      const open = async () => sources.use(await snowflakeSource());
      await expectNothingLost('Snowflake', { open, environment: { PENSTOCK_SNOWFLAKE_ENDPOINT: accessUrl } });
    },
    PATIENCE_MS,
  );
});

onServer('bigquery', 'BigQuery', () => {
  test(
    TEXT,
    async () => {
      const types = { text: 'STRING', decimal: 'NUMERIC' };
      await using sources = await serverSources(bigqueryFixture, types);
      await expectNothingLost('BigQuery', sources);
    },
    PATIENCE_MS,
  );
});

onServer('databricks', 'Databricks', () => {
  test(
    TEXT,
    async () => {
      const types = { text: 'STRING', decimal: 'DECIMAL(12,2)' };
      await using sources = await serverSources(databricksFixture, types);
      await expectNothingLost('Databricks', sources);
    },
    PATIENCE_MS,
  );
});
