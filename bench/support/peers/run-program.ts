import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { peakMemoryMb } from '../process-cost.ts';

const WATCH_MS = 25;
const LINES = 8;

export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/** Runs a program to its end and returns its peak memory in MiB; an error holds the last lines that it wrote. */
export async function runProgram({ command, args, environment }: Program): Promise<number> {
  const child = spawn(command, args, { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  let [peakMb, written] = [0, ''];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      written += text;
    });
  }
  const watch = setInterval(() => {
    peakMb = Math.max(peakMb, peakMemoryMb(child.pid ?? 0));
  }, WATCH_MS);
  const [code] = await once(child, 'close').finally(() => clearInterval(watch));
  if (code === 0) return peakMb;
  throw new Error(`${command} ended with ${code}:\n${written.trim().split('\n').slice(-LINES).join('\n')}`);
}
