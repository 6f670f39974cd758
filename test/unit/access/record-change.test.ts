import { expect, test } from 'vitest';
import { withoutSecrets } from '../../../src/access/audit/record-change.ts';
import { SECRET_MASK, Secret, stringifyJson } from '../../../src/kernel/index.ts';

test('masks secrets wherever they stand', () => {
  const detail = {
    before: { config: { user: 'ann', password: 'p1', nested: [{ client_secret: 'p2' }] } },
    after: { config: { user: 'bob', service_account_key: 'p3', partner_feed_key: 'p4', password: null } },
    handed: new Secret('p5'),
  };
  expect(withoutSecrets(detail)).toEqual({
    before: { config: { user: 'ann', password: SECRET_MASK, nested: [{ client_secret: SECRET_MASK }] } },
    after: {
      config: { user: 'bob', service_account_key: SECRET_MASK, partner_feed_key: SECRET_MASK, password: null },
    },
    handed: SECRET_MASK,
  });
});

test('leaves everything else as it is', () => {
  const detail = { row_key: ['id'], at: new Date(0), big: 2n ** 60n, list: [1, null, 'x'], flag: true };
  expect(stringifyJson(withoutSecrets(detail))).toBe(
    '{"row_key":["id"],"at":"1970-01-01T00:00:00.000Z","big":1152921504606846976,"list":[1,null,"x"],"flag":true}',
  );
});
