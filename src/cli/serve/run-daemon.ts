import { createApp } from '../../app.ts';
import { createLog } from '../../kernel/index.ts';
import type { CommandContext } from '../command.ts';

/** A chunk takes a second or so; whoever sent the signal waits ten seconds or more before it sends SIGKILL. */
const DRAIN_MS = 8000;

/** Serves until the first signal, then drains. Throws what is in the way of a start. */
export async function runDaemon(context: CommandContext): Promise<void> {
  const config = context.config();
  const output = context.output();
  const log = createLog(config.logLevel, process.stderr);
  const signalled = nextSignal();
  const app = await createApp(config, { log });
  try {
    await app.listen();
    output.note(`Penstock listens on ${app.url}; reference of the API: ${app.url}/docs`);
    output.note(`Signal received: ${await signalled}. Draining.`);
  } finally {
    await app.drain(DRAIN_MS);
  }
}

/** The first signal resolves; the second one has its usual effect again, because nobody listens any more. */
function nextSignal(): Promise<string> {
  return new Promise((resolve) => {
    const take = (signal: string) => {
      process.off('SIGTERM', take).off('SIGINT', take);
      resolve(signal);
    };
    process.on('SIGTERM', take).on('SIGINT', take);
  });
}
