// Lists of requests leave out whom the requests are about.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { loadGroup } from '../../../src/dsr/load-request.ts';
import { listRequests } from '../../../src/dsr/officer/list-requests.ts';
import type { Store } from '../../../src/store/index.ts';
import { insertRequest } from '../../support/apis/dsr-requests.ts';
import { SCOPE } from '../../support/people/deliver-people.ts';
import { openTestStore } from '../../support/stores/test-store.ts';

const { workspaceId } = SCOPE;

let store: Store;
beforeAll(async () => {
  store = await openTestStore();
});
afterAll(() => store[Symbol.asyncDispose]());

it('reads neither subjects nor bodies for a list', async () => {
  const { id } = await insertRequest(store, { groupId: 'g', subject: 'sealed', encodedRequest: 'sealed' });
  for (const [found, ...others] of [
    await loadGroup(store, workspaceId, { groupId: 'g', page: undefined }),
    await listRequests(store, workspaceId, { groupId: 'g', limit: 10 }),
  ]) {
    expect(others).toEqual([]);
    expect(found).toMatchObject({ id, groupId: 'g', status: 'in_progress' });
    for (const field of ['subject', 'encodedRequest', 'subjectKeys', 'callbackUrls']) {
      expect(found).not.toHaveProperty(field);
    }
  }
});
