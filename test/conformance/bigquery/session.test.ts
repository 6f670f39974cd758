import { expect, it } from 'vitest';
import { NUMBERS, openScripted } from '../../support/bigquery/scripted.ts';
import { until } from '../../support/clocks/until.ts';
import { NEVER, statement } from '../reading.ts';

it('a caller that leaves while the dataset is looked up takes nobody else with it', async () => {
  const answers: (() => void)[] = [];
  await using scripted = await openScripted(
    { fields: NUMBERS, rows: [] },
    {
      async other() {
        await new Promise<void>((resolve) => answers.push(resolve));
        return { status: 200, body: { location: 'europe-west4' } };
      },
    },
  );
  await using session = await scripted.open();
  const leaving = new AbortController();
  const first = session.describe(statement('SELECT n FROM t'), leaving.signal).catch((failure: unknown) => failure);
  await until(() => answers.length === 1);
  const second = session.describe(statement('SELECT n FROM t'), NEVER);
  leaving.abort();
  expect(await first).toMatchObject({ code: 'CANCELLED' });
  answers[0]?.();
  expect(await second).toMatchObject([{ name: 'n' }]);
  expect(answers).toHaveLength(1);
});
