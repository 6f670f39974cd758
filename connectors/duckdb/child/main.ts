// The process in which DuckDB works, apart from the daemon: what a statement takes beyond the limits ends this process and no
// other. It speaks with its daemon over Node's channel, and ends when that closes, so that it never outlives it. DuckDB works
// on threads, so this thread stays free to hear a cancel.
import { constants, getPriority, setPriority } from 'node:os';
import { asAppError, sleepUnheld } from '../../../src/kernel/index.ts';
import type { AnswerMessage, CallMessage, CancelMessage } from '../wire/messages.ts';
import { loadSdk } from './sdk.ts';
import { createServer } from './serve.ts';

const STEPS_BELOW = 5;
const WATCH_MS = 100;
const [, , mostBytes = ''] = process.argv;

// files are for the daemon's user alone
process.umask(0o077);
// a signal for the daemon's whole process group; the daemon ends its children itself
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => undefined);
// a busy statement leaves the daemon its turn; a step up would need privileges
setPriority(Math.min(getPriority() + STEPS_BELOW, constants.priority.PRIORITY_LOW));

// the kernel refuses memory beyond the limit where it can (`host/start-child.ts`); elsewhere this ends the process
async function watchMemory(): Promise<void> {
  while (process.memoryUsage.rss() <= Number(mostBytes)) await sleepUnheld(WATCH_MS);
  process.kill(process.pid, 'SIGKILL');
}

void watchMemory();

const running = new Map<number, AbortController>();
const serving = loadSdk().then(createServer);
// SIGKILL, because an orderly exit waits for threads that are working
process.on('disconnect', () => process.kill(process.pid, 'SIGKILL'));
process.on('message', (message) => void hear(message as CallMessage | CancelMessage));

async function hear(message: CallMessage | CancelMessage): Promise<void> {
  if ('cancel' in message) {
    running.get(message.cancel)?.abort();
    return;
  }
  const cancel = new AbortController();
  running.set(message.id, cancel);
  try {
    say({ id: message.id, answer: await (await serving)(message, cancel.signal) });
  } catch (thrown) {
    const { code, message: text, issues } = asAppError(thrown);
    say({ id: message.id, failure: { code, message: text, issues } });
  } finally {
    running.delete(message.id);
  }
}

function say(answer: AnswerMessage): void {
  // a daemon that is gone closes the channel, which ends this process
  process.send?.(answer, undefined, undefined, () => undefined);
}
