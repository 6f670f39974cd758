// The thread of its own that `gate.ts` starts: one question in, one check out, in order; and `idle` once nobody asks.
import { parentPort } from 'node:worker_threads';
import { systemClock } from '../../kernel/index.ts';
import { acceptsSomeGrammar, checkModel } from './check-model.ts';
import type { Answer, Question } from './gate.ts';

const IDLE_MS = 2000;

let asked = 0;
parentPort?.on('message', async ({ sql, grammar }: Question) => {
  asked += 1;
  const turn = asked;
  const check = await (grammar === undefined ? acceptsSomeGrammar(sql) : checkModel(sql, { grammar }));
  parentPort?.postMessage(check satisfies Answer);
  await systemClock.sleep(IDLE_MS);
  if (turn === asked) parentPort?.postMessage('idle' satisfies Answer);
});
