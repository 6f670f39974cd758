// People of one delivery, prepared: collected one by one, hashed and sorted before the store is asked for anything.
import type { Person, PersonRequest, ProfileScope, ResolutionPolicy } from './contract.ts';
import type { Columns } from './profiles/attribute-text.ts';
import type { Time } from './profiles/attribute-times.ts';

export interface ResolutionScope extends ProfileScope {
  /** The mode `full` keeps the time of a value that is stored already (D-045); the row's hash spares read and write. */
  readonly mode: 'full' | 'incremental';
  /** Policy of the workspace, by default `DEFAULT_POLICY`. */
  readonly policy?: ResolutionPolicy;
}

/** A collector of people that come one by one. It keeps of each person only what is needed. */
export interface PeopleCollector {
  /** Adds a person. `row` spares a hash, where the caller has hashed all that makes the person. Give all of a scope or none. */
  add(person: Person, row?: HashOfRow): void;
  finish(): PreparedPeople;
}

/** The position of a row's 16-byte hash, at 16 × index. Equal hashes mean equal rows under one mapping. */
export interface HashOfRow {
  readonly hashes: Buffer;
  readonly index: number;
}

/** People with their keys, hashed and sorted: everything that needs no store, so it can be done while another chunk commits. */
export interface PreparedPeople {
  readonly scope: ResolutionScope;
  readonly count: number;
  /** Keys of the people; no other room reads them. */
  readonly keys: ChunkKeys;
  readonly rows: ChunkRows;
}

/**
 * The identities of a chunk. A *place* is one identity of one person: person i's stand at `starts[i]` up to
 * `starts[i + 1] - 1`, in the person's order. An *ordinal* numbers the distinct keys in key order.
 */
export interface ChunkKeys {
  /** 16 bytes a key, one behind the other, ascending, no two equal: the key of an ordinal begins at 16 × ordinal. */
  readonly sorted: Buffer;
  readonly starts: Int32Array;
  /** Ordinal of the key of each place. */
  readonly ordinals: Int32Array;
  /** Rank of each place's type in the priority, 0 the strongest; `FINDS_NONE` for a type that finds no profile. */
  readonly ranks: Uint8Array;
  /** Type of each place, as an index of IDENTITY_TYPES. */
  readonly types: Uint8Array;
  /** Value of each place. */
  readonly values: readonly string[];
  /** Places that public keys brought. Login identities are never among them: they say whose the profile is. */
  readonly publicPlaces: ReadonlySet<number>;
}

/** Attributes, times and requests of the people of a chunk, by person. */
export interface ChunkRows {
  /** Attributes as the text of a JSON object; those that are removed are not in it. */
  readonly texts: readonly string[];
  /** No person sets or removes an attribute and no row hash is stored, so attributes need not be read. True of most batches. */
  readonly areSilent: boolean;
  /** Columns of the attributes that each text may hold, in its order. */
  readonly columns: readonly Columns[];
  readonly setAt: readonly Time[];
  /** Hash of names, values and identities, 16 bytes each, one behind the other; `full` only. */
  readonly hashes: Buffer | undefined;
  /** Key texts of the attributes that are removed. */
  readonly removals: ReadonlyMap<number, readonly string[]>;
  readonly mpids: ReadonlyMap<number, bigint>;
  readonly consents: ReadonlyMap<number, string>;
  readonly requests: ReadonlyMap<number, PersonRequest>;
}
