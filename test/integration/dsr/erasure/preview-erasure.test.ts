import { expect, test } from 'vitest';
import { previewErasure } from '../../../../src/dsr/preview-erasure.ts';
import { addWorkspace } from '../../../support/apis/add-workspace.ts';
import { insertErasure, readRequest, subjectOf, work, workDeps } from '../../../support/apis/dsr-work.ts';
import { fakeClock } from '../../../support/clocks/fake-clock.ts';
import { SCOPE } from '../../../support/people/deliver-people.ts';
import { addKnownPerson, prepareRooms } from '../../../support/people/known-everywhere.ts';
import { searchDump } from '../../../support/stores/dump-search.ts';
import { openTestStore } from '../../../support/stores/test-store.ts';

const { workspaceId } = SCOPE;

test('a preview names the profiles and counts what the erasure then removes, and changes nothing', async () => {
  await using store = await openTestStore();
  const clock = fakeClock();
  await addWorkspace(store, workspaceId);
  await prepareRooms({ store, clock });
  const person = await addKnownPerson({ store, clock });
  await addKnownPerson({ store, clock });
  clock.advance(86_400_000);
  const request = await insertErasure(store, person);
  const deps = workDeps(store, clock);
  const subject = subjectOf(request) ?? { identities: [], mpids: [] };
  const resolution = { ...deps, request, subject, settings: await deps.settingsOf(workspaceId) };
  const before = await searchDump(store, person.values);
  const preview = await previewErasure(store, resolution, new AbortController().signal);
  expect(await searchDump(store, person.values)).toEqual(before);
  expect(preview.people.map(({ mpid }) => mpid)).toEqual(person.mpids);
  await work(deps, request);
  const { identity, events, engine, access, sync } = JSON.parse(String((await readRequest(store, request)).counts));
  // tombstones come and do not go, and hashes of rows are only found with the rows
  const { tombstones: _, ...gone } = identity;
  const { resume_hashes: __, ...records } = engine;
  expect(preview.counts).toEqual({ identity: gone, events, engine: records, access, sync });
  expect(await searchDump(store, person.values)).toEqual([]);
});
