// The long form of test/e2e/crash: `SOAK_KILLS` kills (24 unless told), more rows each round, later rounds over what is known.
import { expect, test } from 'vitest';
import { everyKind, strikeRound } from '../support/crashes/crash-kills.ts';
import { killStore, openCrashSite } from '../support/crashes/crash-site.ts';
import { postgresSources } from '../support/crashes/crash-source.ts';
import { chooseSeed, seededRandom } from '../support/crashes/seeded-random.ts';
import { sourceRows } from '../support/crashes/source-rows.ts';

const KILLS = Number(process.env.SOAK_KILLS ?? 24);
const KILLS_A_ROUND = 4;
const ROWS_A_ROUND = 4000;
const PATIENCE_MS = 3_600_000;

test(
  `a daemon that is killed ${KILLS} times loses no row and doubles none`,
  async () => {
    const random = seededRandom(chooseSeed('kills'));
    await using site = await openCrashSite({ store: 'embedded', chunkRows: 150 });
    let served = await site.serve();
    const pipelines = await everyKind(site);
    const strike = async () => {
      await site.end(served, 'SIGKILL');
      served = await site.serve();
    };
    let midway = 0;
    for (let round = 0; round * KILLS_A_ROUND < KILLS; round++) {
      const rows = sourceRows(round * ROWS_A_ROUND, (round + 1) * ROWS_A_ROUND);
      for (const pipeline of pipelines) await pipeline.append(rows);
      const count = Math.min(KILLS_A_ROUND, KILLS - round * KILLS_A_ROUND);
      midway += await strikeRound(site, pipelines, { count, random, strike });
      process.stderr.write(`round ${round + 1}: exact; ${midway} kills in mid-run so far\n`);
    }
    expect(midway).toBe(KILLS);
  },
  PATIENCE_MS,
);

test(
  'of two daemons on one store one after the other is killed, and the other one takes its runs over',
  async () => {
    const random = seededRandom(chooseSeed('two daemons'));
    await using site = await openCrashSite({ store: 'shared', chunkRows: 150 });
    await site.serve();
    await site.serve();
    const pipelines = await everyKind(site);
    const strike = async () => {
      const [oldest] = site.daemons;
      if (oldest !== undefined) await site.end(oldest, 'SIGKILL');
      await site.serve();
    };
    for (let round = 0; round < 3; round++) {
      const rows = sourceRows(round * ROWS_A_ROUND, (round + 1) * ROWS_A_ROUND);
      for (const pipeline of pipelines) await pipeline.append(rows);
      await strikeRound(site, pipelines, { count: 2, random, strike });
    }
  },
  PATIENCE_MS,
);

const STRIKES = 12;

test(
  `${STRIKES} times something dies: the daemon, with and without a warning, its store, the line to the warehouse`,
  async () => {
    const random = seededRandom(chooseSeed('anything'));
    await using sources = await postgresSources();
    await using site = await openCrashSite({ store: 'embedded', chunkRows: 150 });
    await site.serve();
    const pipelines = await everyKind(site, sources.open);
    const restart = async (signal: 'SIGKILL' | 'SIGTERM') => {
      for (const served of site.daemons) await site.end(served, signal);
      await site.serve();
    };
    const ways = [
      () => restart('SIGKILL'),
      () => restart('SIGTERM'),
      () => killStore(site),
      async () => {
        sources.proxy.cut();
        sources.proxy.repair();
      },
    ];
    for (let round = 0; round < STRIKES / 4; round++) {
      const rows = sourceRows(round * ROWS_A_ROUND, (round + 1) * ROWS_A_ROUND);
      for (const pipeline of pipelines) await pipeline.append(rows);
      const strike = () => (ways[Math.floor(random() * ways.length)] ?? ways[0])?.() ?? Promise.resolve();
      await strikeRound(site, pipelines, { count: 4, random, strike });
      process.stderr.write(`round ${round + 1}: exact\n`);
    }
  },
  PATIENCE_MS,
);
