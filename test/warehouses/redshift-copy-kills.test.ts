// Files of write-backs through S3 that were killed: the next attempt of the run deletes them, and nothing half done is left.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { applyRequest, STAGING } from '../conformance/writing-back.ts';
import { until } from '../support/clocks/until.ts';
import type { ChildWork } from '../support/crashes/write-back-child.ts';
import { COPY_BUCKET, everyone, MANY, openCopySite, TARGET } from '../support/warehouses/copy-site.ts';
import { onServer, serverOf } from '../support/warehouses/on-server.ts';
import { createBucket, emptyBucket, keysIn, putObject } from '../support/warehouses/test-bucket.ts';

const CHILD = fileURLToPath(new URL('../support/crashes/write-back-child.ts', import.meta.url));
const ROOT = 'loads/penstock/copy/';
const RUN = 'penstock_stg_conformance_7';
const keys = () => keysIn(COPY_BUCKET);

onServer('aws', 'writing back to Redshift through S3', () => {
  beforeEach(() => createBucket(COPY_BUCKET));
  afterEach(() => emptyBucket(COPY_BUCKET));

  it('writes nothing where the process is killed during COPY, and the next attempt deletes its files', async () => {
    let killed: readonly string[] = [];
    let child: ChildProcess | undefined;
    const onCopy = async () => {
      if (child === undefined || child.killed) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      killed = await keys();
    };
    await using site = await openCopySite({ copies: { onCopy } });
    const { endpoint } = serverOf('aws').endpoints.aws;
    const work: ChildWork = { config: site.config, endpoint, staging: `${RUN}_2`, keys: MANY };
    child = spawn(process.execPath, [CHILD, JSON.stringify(work)], { stdio: 'ignore' });
    await once(child, 'exit');
    await until(async () => (await site.warehouse.connections()) === 0);
    expect(killed).toEqual([expect.stringMatching(`^${ROOT}${RUN}_2/[-0-9a-f]{36}/0.csv.gz$`)]);
    expect(await site.warehouse.ask('SELECT count(mpid)::int AS count FROM people')).toEqual([{ count: 0 }]);
    expect(await site.apply(applyRequest(TARGET, everyone()))).toMatchObject({ updated: MANY });
    expect(await keys()).toEqual([]);
  });

  it('deletes what killed attempts of the run left, and nothing of a later attempt or another run', async () => {
    const others = [`${RUN}_4`, `${RUN}7_3`, 'penstock_stg_conformancx_7_2'];
    const alive = [...others.map((name) => `${ROOT}${name}/a/0.csv.gz`), 'loads/other.csv'];
    for (const key of [`${ROOT}${RUN}_2/a/0.csv.gz`, `${ROOT}${STAGING}/a/0.csv.gz`, ...alive])
      await putObject(COPY_BUCKET, key, Buffer.from('left'));
    await using site = await openCopySite();
    expect(await site.apply(applyRequest(TARGET, everyone()))).toMatchObject({ updated: MANY });
    expect([...(await keys())].sort()).toEqual([...alive].sort());
  });
});
