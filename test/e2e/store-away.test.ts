import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { until } from '../support/clocks/until.ts';
import { completeRun, shopOver } from '../support/runs/shop.ts';
import { recordOf, serverPid } from '../support/stores/embedded-home.ts';
import { install } from '../support/stores/installation.ts';
import { temporaryHome } from '../support/stores/temporary-home.ts';

const SLOW = 900_000;

test(
  'a store that dies under a living daemon: not ready until it is back, and then the work goes on',
  async () => {
    await using home = await temporaryHome();
    const installation = await install({ home: home.path });
    await using served = await installation.serve();
    const shop = shopOver(served.api, installation.folder);
    const pipeline = await shop.pipeline('few', 100);
    const statusOf = async (path: string) => (await fetch(`${served.daemon.url}${path}`)).status;
    expect(await statusOf('/readyz')).toBe(200);

    // with its data out of the way it cannot come back before anybody has looked
    const server = await serverPid(home.path);
    const data = join((await recordOf(home.path)).folder, 'data');
    renameSync(data, `${data}.away`);
    process.kill(server, 'SIGKILL');
    await until(async () => (await statusOf('/readyz')) === 503);
    expect(await statusOf('/healthz')).toBe(200);
    renameSync(`${data}.away`, data);
    await until(async () => (await statusOf('/readyz')) === 200);
    expect(served.daemon.log()).toContain('store.server_restarted');

    expect(await shop.untilOver(pipeline, await shop.trigger(pipeline))).toMatchObject(completeRun(100));
  },
  SLOW,
);
