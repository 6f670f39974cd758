import { expect, test } from 'vitest';
import { sentence, testUnlessWaived } from './fleet.ts';

sentence('8. write-back', (fixture) => {
  const { writeBack } = fixture.connector.capabilities;

  test('is waived exactly where the connector says that it cannot', () => {
    expect(fixture.waivers['write-back'] === undefined).toBe(writeBack);
  });

  testUnlessWaived(fixture, 'write-back', {
    text: 'by key, guarded, idempotent, one column, leaving nothing behind',
    run: () =>
      Promise.reject(new Error('No connector writes back yet; the sentence is written with the first that does.')),
  });
});
