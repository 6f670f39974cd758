import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commandLine } from '../support/command-line.ts';
import { bareEnvironment, startDaemon } from '../support/penstock-process.ts';
import { openShop, type RunAnswer } from '../support/shop.ts';
import { temporaryHome } from '../support/temporary-home.ts';

const PEOPLE = 20_000;

test('SIGTERM in the middle of a run gives it back to the queue, and the next start finishes it', async () => {
  await using place = await temporaryHome();
  const options = { home: place.path, environment: { PENSTOCK_CHUNK_ROWS: '500' } };
  const { json } = commandLine(bareEnvironment(options));
  const first = await startDaemon(options);
  const shop = await openShop(first, options);
  const pipeline = await shop.pipeline('people', PEOPLE);
  const run = await shop.trigger(pipeline);
  await shop.untilMidway(pipeline, run);

  const ended = await first.end('SIGTERM');
  expect(ended).toMatchObject({ code: 0, signal: null });
  expect(ended.err).toContain('SIGTERM received: draining.');
  // nothing of the way down is worth a warning but the run itself
  const warnings = ended.err.split('\n').filter((line) => line.startsWith('{') && JSON.parse(line).level >= 40);
  expect(warnings.map((line) => JSON.parse(line).msg)).toEqual(['keys.made', 'keys.made', 'run.interrupted']);

  // a command starts the store for itself and stops it again
  const [queued] = await json<readonly RunAnswer[]>('pipeline', 'runs', pipeline);
  expect(queued).toMatchObject({ id: Number(run), status: 'queued', ended_on: null });
  const folder = (JSON.parse(readFileSync(join(place.path, 'store.json'), 'utf8')) as { folder: string }).folder;
  expect(() => readFileSync(join(folder, 'data', 'postmaster.pid'))).toThrow('ENOENT');

  await using next = await startDaemon(options);
  const finished = await (await shop.at(next)).untilOver(pipeline, run);
  expect(finished).toMatchObject({ status: 'success', extracted_records: PEOPLE, successful_records: PEOPLE });
}, 120_000);
