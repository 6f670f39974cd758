import { expect, test } from 'vitest';
import { openEventsApi } from '../../support/apis/events-api.ts';
import { fuzzEvents } from '../../support/batches/fuzz-events.ts';

test('a batch with one thing wrong is never a 500, never kept wrong, and refused where it is wrong: 1,000 of them', async () => {
  await using api = await openEventsApi();
  expect(await fuzzEvents(api, 1000)).toBeGreaterThan(50);
});
