// The thread that `gate.ts` starts. It answers each question with one check, in order, and says `idle` when no questions come
// any more.
import { parentPort } from 'node:worker_threads';
import { systemClock } from '../../kernel/index.ts';
import { acceptsSomeGrammar, checkModel } from './check-model.ts';
import type { Answer, Question } from './gate.ts';
import { checkWriteBackModel } from './write-back/check-write-back.ts';

const IDLE_MS = 2000;

let asked = 0;
parentPort?.on('message', async (question: Question) => {
  asked += 1;
  const turn = asked;
  parentPort?.postMessage((await answer(question)) satisfies Answer);
  await systemClock.sleep(IDLE_MS);
  if (turn === asked) parentPort?.postMessage('idle' satisfies Answer);
});

function answer(question: Question): Promise<Exclude<Answer, 'idle'>> {
  switch (question.about) {
    case 'some_grammar':
      return acceptsSomeGrammar(question.sql);
    case 'model':
      return checkModel(question.sql, question);
    case 'write_back':
      return checkWriteBackModel(question.sql, question, question.identities);
  }
}
