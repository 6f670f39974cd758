import type { CrashPipeline, Mode } from './crash-pipeline.ts';
import { eventsPipeline, peoplePipeline } from './crash-pipeline.ts';
import { aMomentLater, type CrashSite, expectExact, type Round, startRound, untilShare } from './crash-site.ts';
import { duckdbSource, type OpenSource } from './crash-source.ts';
import { holdRuns } from './held-runs.ts';

const MODES: readonly Mode[] = ['full', 'incremental'];
/** Three of four runs reach this share where one waits for another, which is held at its end. */
const LATEST_SHARE = 0.7;

const KINDS = { people: peoplePipeline, events: eventsPipeline };

/** Pipelines of every kind, each over a source of its own that is still empty: a DuckDB file, unless told. */
export async function everyKind(
  { api, folder }: CrashSite,
  open: OpenSource = (id) => duckdbSource(folder, id),
): Promise<readonly CrashPipeline[]> {
  const all: CrashPipeline[] = [];
  for (const mode of MODES) {
    for (const [kind, make] of Object.entries(KINDS)) {
      const id = `${kind}-${mode}`;
      const lookback = kind === 'events' && mode === 'incremental' ? ({ lookback: '1d' } as const) : {};
      all.push(await make(api, { id, mode, source: await open(id), ...lookback }));
    }
  }
  return all;
}

interface Kills {
  readonly count: number;
  readonly random: () => number;
  /** At a random moment; something runs again when it resolves. */
  readonly strike: () => Promise<void>;
}

/** One round that is struck at random moments and has to come out exact. Answers how often work was left. */
export async function strikeRound(
  site: CrashSite,
  pipelines: readonly CrashPipeline[],
  { count, random, strike }: Kills,
): Promise<number> {
  const held = await holdRuns(site);
  const round: Round = await startRound(site, pipelines);
  const shares = Array.from({ length: count }, () => random() * LATEST_SHARE).sort((left, right) => left - right);
  let midway = 0;
  for (const share of shares) {
    midway += Number(await untilShare(site, round, share));
    await aMomentLater(random);
    await strike();
  }
  await held.release(site);
  await expectExact(site, round);
  return midway;
}
