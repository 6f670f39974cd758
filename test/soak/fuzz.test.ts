import { expect, test } from 'vitest';
import { openEventsApi } from '../support/apis/events-api.ts';
import { fuzzEvents } from '../support/batches/fuzz-events.ts';

test('10,000 batches with one thing wrong are kept right or refused where they are wrong', async () => {
  await using api = await openEventsApi();
  expect(await fuzzEvents(api, 10_000)).toBeGreaterThan(500);
}, 600_000);
