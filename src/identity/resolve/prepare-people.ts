import { hash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { AttributeSet, Identity, Person, PersonRequest, ResolutionPolicy } from '../contract.ts';
import { KEY_BYTES, type WriteKey } from '../identity-key.ts';
import { DEFAULT_POLICY, flagsOf, IDENTITY_TYPES, isDeviceId } from '../identity-types.ts';
import type { HashOfRow, PeopleCollector, PreparedPeople, ResolutionScope } from '../prepared-people.ts';
import { type Columns, columnsFor, objectText } from '../profiles/attribute-text.ts';
import { type Time, timeOf } from '../profiles/attribute-times.ts';
import { NO_ATTRIBUTES } from '../profiles/merge-attributes.ts';
import { HASH_BYTES } from './row-hashes.ts';
import { sortKeys } from './sort-keys.ts';

/** Rank of a type that finds no profile. */
export const FINDS_NONE = 255;

/** Rows between two turns of the event loop: about a millisecond, so that the store never waits long for us. */
export const SLICE_ROWS = 250;

const TYPE_NUMBERS: ReadonlyMap<string, number> = new Map(IDENTITY_TYPES.map((type, number) => [type, number]));

/**
 * Hashes and sorts a chunk: 2–3 µs a row of two identities and ten attributes. Changes nothing outside. People are taken one by
 * one and let go: what lives as long as a chunk is copied by the garbage collector, so the chunk consists of few, flat arrays.
 */
export async function preparePeople(
  writeKey: WriteKey,
  scope: ResolutionScope,
  people: Iterable<Person>,
): Promise<PreparedPeople> {
  const chunk = new Chunk(writeKey, scope);
  for (const person of people) {
    chunk.add(person);
    if (chunk.count % SLICE_ROWS === 0) await setImmediate();
  }
  return chunk.finish();
}

const FIRST_PLACES = 1024;

export function collectPeople(writeKey: WriteKey, scope: ResolutionScope): PeopleCollector {
  return new Chunk(writeKey, scope);
}

/** The state of a chunk while people are added. */
class Chunk implements PeopleCollector {
  count = 0;
  readonly #writeKey: WriteKey;
  readonly #scope: ResolutionScope;
  readonly #rankOf: ReadonlyMap<string, number>;
  readonly #loginTypes: ResolutionPolicy['loginTypes'];
  /** Place behind the identities of each person. */
  readonly #ends: number[] = [];
  #types = new Uint8Array(FIRST_PLACES);
  readonly #values: string[] = [];
  readonly #publicPlaces = new Set<number>();
  #keys: Buffer = Buffer.allocUnsafeSlow(FIRST_PLACES * KEY_BYTES);
  #hashes: Buffer = Buffer.allocUnsafeSlow(FIRST_PLACES * HASH_BYTES);
  readonly #texts: string[] = [];
  #areSilent: boolean;
  readonly #columns: Columns[] = [];
  readonly #setAt: Time[] = [];
  readonly #removals = new Map<number, readonly string[]>();
  readonly #mpids = new Map<number, bigint>();
  readonly #consents = new Map<number, string>();
  readonly #requests = new Map<number, PersonRequest>();

  constructor(writeKey: WriteKey, scope: ResolutionScope) {
    this.#writeKey = writeKey;
    this.#scope = scope;
    const policy = scope.policy ?? DEFAULT_POLICY;
    this.#rankOf = new Map(policy.priority.map((type, rank) => [type, rank]));
    this.#loginTypes = policy.loginTypes;
    this.#areSilent = scope.mode === 'incremental';
  }

  add({ identities, attributes, setAt, mpid, consent, isPublic, request }: Person, row?: HashOfRow): void {
    const columns = columnsFor(attributes.names);
    const text = objectText(columns, attributes.texts);
    for (const identity of identities) this.#addIdentity(identity, isPublic);
    this.#ends.push(this.#values.length);
    this.#texts.push(text);
    this.#columns.push(columns);
    this.#setAt.push(timeOf(setAt));
    const removed = attributes.texts.includes(null) ? namesRemoved(attributes) : undefined;
    if (removed !== undefined) this.#removals.set(this.count, removed);
    if (text !== NO_ATTRIBUTES.attributes || removed !== undefined) this.#areSilent = false;
    if (mpid !== undefined) this.#mpids.set(this.count, mpid);
    if (consent !== undefined) this.#consents.set(this.count, consent);
    if (request !== undefined) this.#requests.set(this.count, request);
    if (this.#scope.mode === 'full') this.#addHash(row, text + (removed?.join('') ?? ''));
    this.count++;
  }

  #addIdentity(identity: Identity, isPublic = false): void {
    const place = this.#values.length;
    if (isPublic && !this.#loginTypes.includes(identity.type)) this.#publicPlaces.add(place);
    this.#keys = roomFor(this.#keys, (place + 1) * KEY_BYTES);
    this.#writeKey(identity, this.#keys, place * KEY_BYTES);
    if (place === this.#types.length) this.#types = doubled(this.#types);
    this.#types[place] = TYPE_NUMBERS.get(identity.type) as number;
    this.#values.push(identity.value);
  }

  /** Hashes all that a row says to 16 bytes: identities, names, values, removals. The time is left out on purpose. */
  #addHash(row: HashOfRow | undefined, said: string): void {
    const at = this.count * HASH_BYTES;
    this.#hashes = roomFor(this.#hashes, at + HASH_BYTES);
    if (row !== undefined) {
      row.hashes.copy(this.#hashes, at, row.index * HASH_BYTES, (row.index + 1) * HASH_BYTES);
      return;
    }
    const keys = this.#keys.toString('latin1', this.#startOf(this.count) * KEY_BYTES, this.#values.length * KEY_BYTES);
    this.#hashes.write(hash('sha256', keys + said, 'binary'), at, HASH_BYTES, 'binary');
  }

  finish(): PreparedPeople {
    const places = this.#values.length;
    const { sorted, ordinals } = sortKeys(this.#keys.subarray(0, places * KEY_BYTES));
    const starts = new Int32Array(this.count + 1);
    starts.set(this.#ends, 1);
    const types = this.#types.subarray(0, places);
    return {
      scope: this.#scope,
      count: this.count,
      keys: {
        sorted,
        ordinals,
        values: this.#values,
        starts,
        types,
        publicPlaces: this.#publicPlaces,
        ranks: this.#ranks(types),
      },
      rows: {
        texts: this.#texts,
        areSilent: this.#areSilent,
        columns: this.#columns,
        setAt: this.#setAt,
        hashes: this.#scope.mode === 'full' ? this.#hashes.subarray(0, this.count * HASH_BYTES) : undefined,
        removals: this.#removals,
        mpids: this.#mpids,
        consents: this.#consents,
        requests: this.#requests,
      },
    };
  }

  #startOf(person: number): number {
    return person === 0 ? 0 : (this.#ends[person - 1] as number);
  }

  #ranks(types: Uint8Array): Uint8Array {
    const policy = this.#scope.policy ?? DEFAULT_POLICY;
    const rankOfType = IDENTITY_TYPES.map((type) => this.#rankOf.get(type) ?? FINDS_NONE);
    const ranks = new Uint8Array(types.length);
    for (let at = 0; at < types.length; at++) ranks[at] = rankOfType[types[at] as number] as number;
    const findsDevice = flagsOf(IDENTITY_TYPES.filter((type) => isDeviceId(type) && !policy.loginTypes.includes(type)));
    for (const [person, { isLogout }] of this.#requests) {
      if (!isLogout) continue;
      for (let at = this.#startOf(person); at < (this.#ends[person] as number); at++) {
        if (findsDevice[types[at] as number] === 0) ranks[at] = FINDS_NONE;
      }
    }
    return ranks;
  }
}

/** Returns the key texts of the attributes that the person removes. */
function namesRemoved({ names, texts }: AttributeSet): readonly string[] {
  return columnsFor(names).keys.filter((_, i) => texts[i] === null);
}

function doubled(types: Uint8Array): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(2 * types.length);
  larger.set(types);
  return larger;
}

function roomFor(bytes: Buffer, length: number): Buffer {
  if (length <= bytes.length) return bytes;
  const larger = Buffer.allocUnsafeSlow(Math.max(length, bytes.length * 2));
  bytes.copy(larger);
  return larger;
}
