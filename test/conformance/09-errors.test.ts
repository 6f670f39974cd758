import { expect, test } from 'vitest';
import { AppError } from '../../src/kernel/index.ts';
import { sentence } from './fleet.ts';
import { openOn, readAll, requestOf, using } from './reading.ts';

sentence('9. every real error lands in its class; unknown stays unknown with its cause', (fixture) => {
  const { connector, errors } = fixture;

  test.each(errors.map((error) => [error.what, error] as const))('%s', (_, { sql, code, names = '' }) =>
    using(fixture, async (session, warehouse) => {
      const failure = await readAll(session, requestOf(sql)).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(failure).toBeInstanceOf(AppError);
      expect(failure).toMatchObject({ code, message: expect.stringContaining(names) });
      expect(String(failure)).not.toContain(warehouse.environment.folder);
      // the session survives the failure of a statement
      expect((await readAll(session, requestOf('SELECT 1 AS one'))).rows).toEqual([[1]]);
    }),
  );

  test.each([new Error('something nobody has seen'), 'text', null, { code: 7 }])('keeps %j as the cause', (thrown) => {
    expect(connector.classify(thrown)).toMatchObject({ code: 'WAREHOUSE_UNKNOWN', cause: thrown });
  });

  test('leaves an error of ours as it is', () => {
    const ours = new AppError('MODEL_INVALID', 'ours');
    expect(connector.classify(ours)).toBe(ours);
  });

  test('names the stage at which a probe fails, and skips the rest', async () => {
    await using warehouse = await fixture.start();
    await using good = await openOn(fixture, warehouse);
    const passed = await good.probe(new AbortController().signal);
    expect(passed.map(({ status }) => status)).toEqual(passed.map(() => 'passed'));
  });
});
