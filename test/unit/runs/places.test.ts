import { expect, test } from 'vitest';
import { workspaceId } from '../../../src/kernel/index.ts';
import { createPlaces, type PlaceRequest } from '../../../src/runs/lifecycle/places.ts';

const [FIRST, SECOND] = [workspaceId(1n), workspaceId(2n)];
const request = (changes: Partial<PlaceRequest> = {}): PlaceRequest => ({
  ...{ workspaceId: FIRST, isFirst: false, isSuspect: false },
  ...changes,
});

test.each([
  [1, 0],
  [2, 1],
  [3, 2],
  [64, 63],
])('of %i workers %i at most have runs of workspaces that have others', (workers, most) => {
  const places = createPlaces(workers);
  const taken = Array.from({ length: workers }, () => places.enter().take(request()));
  expect(taken.filter(Boolean)).toHaveLength(most);
  // and the rest is for those that have none
  const first = Array.from({ length: workers - most }, () => places.enter().take(request({ isFirst: true })));
  expect(first.every(Boolean)).toBe(true);
});

test('a worker that leaves tells once which workspaces were refused', () => {
  const places = createPlaces(2);
  const [one, two, three] = [places.enter(), places.enter(), places.enter()];
  expect(one.take(request())).toBe(true);
  expect(one.take(request())).toBe(true);
  expect(two.take(request())).toBe(false);
  expect(three.take(request({ workspaceId: SECOND }))).toBe(false);
  expect(two.leave()).toEqual([]);
  expect(one.leave()).toEqual([FIRST, SECOND]);
  expect(one.leave()).toEqual([]);
  expect(places.enter().take(request())).toBe(true);
});

test('one run at a time may be what takes workers down', () => {
  const places = createPlaces(8);
  const [one, two, three] = [places.enter(), places.enter(), places.enter()];
  expect(one.take(request({ isFirst: true, isSuspect: true }))).toBe(true);
  expect(two.take(request({ isFirst: true, isSuspect: true }))).toBe(false);
  expect(three.take(request())).toBe(true);
  one.leave();
  expect(two.take(request({ isFirst: true, isSuspect: true }))).toBe(true);
});
