// Daemons that are killed while they read Snowflake: the local server that stands in for it has to run.
import { expect, test } from 'vitest';
import { everyKind, strikeRound } from '../support/crash/crash-kills.ts';
import { openCrashSite } from '../support/crash/crash-site.ts';
import type { CrashSource } from '../support/crash/crash-source.ts';
import { chooseSeed, seededRandom } from '../support/crash/seeded-random.ts';
import { snowflakeSource } from '../support/crash/snowflake-source.ts';
import { sourceRows } from '../support/crash/source-rows.ts';
import { onServer, serverOf } from '../support/warehouses/on-server.ts';

const KILLS = 3;
const ROWS = 3000;
const PATIENCE_MS = 900_000;

onServer('snowflake', 'Snowflake', () => {
  test(
    `a daemon that is killed ${KILLS} times loses no row and doubles none`,
    async () => {
      const random = seededRandom(chooseSeed('Snowflake kills'));
      const { accessUrl } = serverOf('snowflake').endpoints.snowflake;
      const environment = { PENSTOCK_SNOWFLAKE_ENDPOINT: accessUrl };
      await using sources = new AsyncDisposableStack();
      await using site = await openCrashSite({ store: 'embedded', chunkRows: 150, environment });
      let served = await site.serve();
      const open = async (): Promise<CrashSource> => sources.use(await snowflakeSource());
      const pipelines = await everyKind(site, open);
      const rows = sourceRows(0, ROWS);
      for (const pipeline of pipelines) await pipeline.append(rows);
      const strike = async () => {
        await site.end(served, 'SIGKILL');
        served = await site.serve();
      };
      expect(await strikeRound(site, pipelines, { count: KILLS, random, strike })).toBeGreaterThan(0);
    },
    PATIENCE_MS,
  );
});
