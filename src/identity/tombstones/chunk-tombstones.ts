import type { ChunkKeys } from '../prepared-people.ts';

/**
 * The erased people of one chunk. It changes in row order, as all memory of a chunk: a login that lifts a tombstone lets later
 * rows pass.
 */
export class ChunkTombstones {
  readonly #ordinals = new Set<number>();
  readonly #people = new Set<number>();
  /** Keys whose tombstones this chunk deletes, with the actors of the logins. */
  readonly lifted: { readonly ordinal: number; readonly actor: string }[] = [];

  /** Marks the key with this ordinal as one that has a tombstone. */
  bury(ordinal: number): void {
    this.#ordinals.add(ordinal);
  }

  /** Marks a person as erased whatever the keys: only an erased MPID names this person. */
  buryPerson(index: number): void {
    this.#people.add(index);
  }

  /** The chunk has no tombstones, as most have none, so its people need no check. */
  get areNone(): boolean {
    return this.#ordinals.size === 0 && this.#people.size === 0;
  }

  isErased(keys: ChunkKeys, index: number): boolean {
    return this.#people.has(index) || this.#buriedOf(keys, index).length > 0;
  }

  /** Lets all identities of a person come back. */
  lift(keys: ChunkKeys, index: number, actor: string): void {
    for (const ordinal of this.#buriedOf(keys, index)) {
      this.#ordinals.delete(ordinal);
      this.lifted.push({ ordinal, actor });
    }
  }

  #buriedOf({ starts, ordinals }: ChunkKeys, index: number): readonly number[] {
    const buried: number[] = [];
    for (let at = starts[index] as number; at < (starts[index + 1] as number); at++) {
      const ordinal = ordinals[at] as number;
      if (this.#ordinals.has(ordinal)) buried.push(ordinal);
    }
    return buried;
  }
}
