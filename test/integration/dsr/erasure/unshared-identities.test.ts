import { expect, test } from 'vitest';
import { unsharedIdentities } from '../../../../src/dsr/work/unshared-identities.ts';
import { Secret } from '../../../../src/kernel/index.ts';
import { deliver, mpidsOf, person, SCOPE } from '../../../support/people/deliver-people.ts';
import { openTestStore } from '../../../support/stores/test-store.ts';

test('leave out what somebody else holds in either environment, unless only public keys say so', async () => {
  await using store = await openTestStore();
  const ann = person({ customer_id: 'ann', email: 'p@x', other: 'd', google: 'own', yahoo: 'claimed' });
  const [mpid = 0n] = mpidsOf(await deliver(store, [ann, person({ customer_id: 'ben', email: 'p@x' })]));
  await deliver(store, [person({ customer_id: 'cid', other: 'd' })], { ...SCOPE, environment: 'development' });
  await deliver(store, [{ ...person({ customer_id: 'ben', yahoo: 'claimed' }), isPublic: true }]);
  const people = [{ environment: 'production', mpid }] as const;
  const found = await unsharedIdentities(store, new Secret('the key of all tests'), {
    ...{ workspaceId: SCOPE.workspaceId, people, identities: ann.identities },
  });
  expect(found.map(({ value }) => value)).toEqual(['ann', 'own', 'claimed']);
});
