import type { Secret } from '../../kernel/index.ts';
import type { Tombstones } from './contract.ts';
import { erasePeople, tombstoneKeysOf } from './erase-people.ts';
import { createErasedSearch } from './erased-search.ts';
import { findTombstones } from './find-tombstones.ts';
import { applyTombstones, exportTombstones, findErasedProfiles, liftTombstones } from './move-tombstones.ts';
import { createTombstoneKeys } from './tombstone-keys.ts';

/** Creates the tombstones of a process, which hold no state. `key` is that of the identities. */
export function createTombstones(key: Secret): Tombstones {
  const keys = createTombstoneKeys(key);
  return {
    erasePeople: (tx, erasure) => erasePeople(tx, keys, erasure),
    lift: (tx, workspaceId, identities) => liftTombstones(tx, workspaceId, tombstoneKeysOf(keys, identities)),
    export: exportTombstones,
    apply: applyTombstones,
    findErasedProfiles: (sql, workspaceId) => findErasedProfiles(sql, keys, workspaceId),
    searchErased: (sql, workspaceId) => createErasedSearch(keys, (asked) => findTombstones(sql, workspaceId, asked)),
  };
}
