import { expect, it } from 'vitest';
import { whoIsNamed } from '../../../src/identity/index.ts';

it('looks up 50 mentions of a record at most, its e-mails first', () => {
  const notes = Array.from({ length: 900 }, (_, index) => `token-number-${index}`);
  const { mentions } = whoIsNamed({ notes, contact: 'ann@example.com', customer_id: '4711' });
  expect(mentions).toHaveLength(50);
  // the walk has no order, so it may come last
  expect(mentions?.[0]).toBe('ann@example.com');
});
