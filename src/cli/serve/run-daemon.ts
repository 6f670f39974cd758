import { once } from 'node:events';
import { createApp } from '../../app.ts';
import { createLog } from '../../kernel/index.ts';
import type { CommandContext } from '../command.ts';
import { untilSignal } from '../signals.ts';

/** Milliseconds to drain. A chunk takes about a second, and supervisors wait ten seconds or more before they send SIGKILL. */
const DRAIN_MS = 8000;

/** Serves until the first signal, then drains. Throws where the daemon cannot start. */
export async function runDaemon(context: CommandContext): Promise<void> {
  const config = context.config();
  const output = context.output();
  const log = createLog(config.logLevel, process.stderr);
  const ended = untilSignal();
  const app = await createApp(config, { log });
  try {
    await app.listen();
    output.note(`Penstock listens on ${app.url}; reference of the API: ${app.url}/docs`);
    if (!ended.aborted) await once(ended, 'abort');
    output.note(`${ended.reason} received: draining.`);
  } finally {
    await app.drain(DRAIN_MS);
  }
}
