// Runs the SQL parser in its own thread. After its first use the parser holds 60 to 110 MB, which it never frees, so the thread
// ends when it is idle. Checks are remembered by text, so that a run of a known model does not start the thread.
import { createHash } from 'node:crypto';
import { Worker } from 'node:worker_threads';
import { AppError } from '../../kernel/index.ts';
import type { acceptsSomeGrammar as accepts, checkModel as check, ModelCheck } from './check-model.ts';
import type { checkWriteBackModel as checkWriteBack, WriteBackCheck } from './write-back/check-write-back.ts';
import type { IdentityColumns } from './write-back/read-model.ts';

/** A question to the parser's thread. `some_grammar` asks whether any grammar accepts the model. */
export type Question =
  | { readonly about: 'some_grammar'; readonly sql: string }
  | { readonly about: 'model'; readonly sql: string; readonly grammar: string }
  | {
      readonly about: 'write_back';
      readonly sql: string;
      readonly grammar: string;
      readonly identities: IdentityColumns;
    };

type Check = ModelCheck | WriteBackCheck;

/** A message of the thread. `idle`: no question has come for a while. */
export type Answer = Check | 'idle';

/** Runs `checkModel` of check-model.ts in the parser's own thread. */
export const checkModel: typeof check = (sql, { grammar }) => ask<ModelCheck>({ about: 'model', sql, grammar });

/** Runs `acceptsSomeGrammar` of check-model.ts in the parser's own thread. */
export const acceptsSomeGrammar: typeof accepts = (sql) => ask<ModelCheck>({ about: 'some_grammar', sql });

/** Runs `checkWriteBackModel` of check-write-back.ts in the parser's own thread. */
export const checkWriteBackModel: typeof checkWriteBack = (sql, { grammar }, identities) =>
  ask<WriteBackCheck>({ about: 'write_back', sql, grammar, identities });

/** Two parsers that read one model differently. Holds nothing of the model, whose text may name people and secrets. */
export interface Disagreement {
  readonly grammar: string;
  readonly first: string;
  readonly second: string;
  /** SHA-256 of the model, hexadecimal. */
  readonly sha256: string;
  readonly characters: number;
}

let report: (disagreement: Disagreement) => void = () => undefined;

/** Sets what is told each disagreement of the two parsers, once for each question to the thread. */
export function onDisagreement(listener: (disagreement: Disagreement) => void): void {
  report = listener;
}

function reportDisagreement(question: Question, check: Check): void {
  if (check.outcome !== 'refused') return;
  const complaints = 'complaint' in check ? [check.complaint] : check.complaints;
  const readings = complaints.find((each) => each.readings !== undefined)?.readings;
  if (readings === undefined) return;
  const { sql } = question;
  const grammar = 'grammar' in question ? question.grammar : 'any';
  report({ grammar, ...readings, sha256: createHash('sha256').update(sql).digest('hex'), characters: sql.length });
}

const MOST_REMEMBERED = 200;
const LONGEST_REMEMBERED = 20_000;
/** Checks by question, the most recently used last. */
const remembered = new Map<string, Check>();

/** Returns the remembered check, or asks the thread. `Asked` follows from `question.about`. */
async function ask<Asked extends Check>(question: Question): Promise<Asked> {
  const key = JSON.stringify(question);
  const known = remembered.get(key) ?? (await askThread(question));
  if (!remembered.has(key)) reportDisagreement(question, known);
  remembered.delete(key);
  if (key.length <= LONGEST_REMEMBERED) remembered.set(key, known);
  const [oldest] = remembered.keys();
  if (remembered.size > MOST_REMEMBERED && oldest !== undefined) remembered.delete(oldest);
  return known as Asked;
}

interface Thread {
  readonly worker: Worker;
  /** Pending questions, in the order of their answers. */
  readonly waiting: { readonly answer: (check: Check) => void; readonly fail: (error: unknown) => void }[];
}

let running: Thread | undefined;

function askThread(question: Question): Promise<Check> {
  running ??= startThread();
  const { worker, waiting } = running;
  // only a question keeps the process alive
  worker.ref();
  worker.postMessage(question);
  return new Promise((answer, fail) => waiting.push({ answer, fail }));
}

function startThread(): Thread {
  const worker = new Worker(new URL('./gate-worker.ts', import.meta.url));
  const thread: Thread = { worker, waiting: [] };
  const forget = () => {
    if (running === thread) running = undefined;
  };
  worker.on('message', (said: Answer) => {
    if (said !== 'idle') thread.waiting.shift()?.answer(said);
    if (thread.waiting.length > 0) return;
    worker.unref();
    if (said !== 'idle') return;
    forget();
    void worker.terminate();
  });
  const end = (cause: unknown) => {
    forget();
    const error = new AppError('INTERNAL', 'The SQL parser stopped; it restarts with the next request. Try again.', {
      cause,
    });
    for (const { fail } of thread.waiting.splice(0)) fail(error);
  };
  worker.on('error', end);
  worker.on('exit', end);
  return thread;
}
