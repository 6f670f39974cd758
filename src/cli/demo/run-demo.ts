import { chmod, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '../../app.ts';
import { type Config, readConfig } from '../../config.ts';
import { AppError, createLog, systemClock } from '../../kernel/index.ts';
import { removeHome } from '../../store/index.ts';
import type { CommandContext } from '../command.ts';
import { untilSignal } from '../signals.ts';
import { tour } from './tour.ts';

const DRAIN_MS = 10_000;

/** Starts a daemon in a temporary home, runs the tour on it, and removes everything afterwards, also after Ctrl-C. */
export async function runDemo(context: CommandContext): Promise<void> {
  const output = context.output();
  const startMs = systemClock.nowMs();
  const ended = untilSignal();
  const home = await mkdtemp(join(tmpdir(), 'penstock-demo-'));
  try {
    // under root, the store's own user must be able to enter the folder
    await chmod(home, 0o711);
    output.line('1. Start: one process with a PostgreSQL of its own, in a temporary folder.');
    const app = await createApp(demoConfig(home), { log: createLog('error', process.stderr) });
    try {
      await app.listen();
      await tour({ app, home, output, ended });
    } finally {
      await app.drain(DRAIN_MS);
    }
  } catch (error) {
    if (!ended.aborted) throw error;
    throw new AppError('CANCELLED', `${ended.reason} received: the demo stopped early, and its folder was removed.`);
  } finally {
    await removeHome(home);
  }
  const seconds = ((systemClock.nowMs() - startMs) / 1000).toFixed(0);
  output.line(`\nDone in ${seconds} seconds; the temporary folder was removed.`);
  output.line('Next: `penstock init`, `penstock serve`, and "Define your own pipeline" in the README.');
}

/**
 * Returns the defaults for the temporary `home`: the demo ignores the settings of the machine.
 * The store skips syncs to disk, because the demo deletes it at the end.
 */
function demoConfig(home: string): Config {
  const config = readConfig({});
  return { ...config, home, http: { ...config.http, port: 0 }, store: { ...config.store, syncsToDisk: false } };
}
