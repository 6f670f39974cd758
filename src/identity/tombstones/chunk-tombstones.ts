import type { ChunkKeys } from '../contract.ts';

/**
 * Which people of one chunk were erased. It changes in row order, as all memory of a chunk: a login that lifts a tombstone
 * lets later rows pass.
 */
export class ChunkTombstones {
  readonly #ordinals = new Set<number>();
  readonly #people = new Set<number>();
  /** Keys whose tombstones this chunk takes away, and for whom. */
  readonly lifted: { readonly ordinal: number; readonly actor: string }[] = [];

  /** The key with this ordinal has a tombstone. */
  bury(ordinal: number): void {
    this.#ordinals.add(ordinal);
  }

  /** Whatever keys the person has: only an erased MPID says who it is. */
  buryPerson(index: number): void {
    this.#people.add(index);
  }

  /** Of most chunks, whose people then need no look. */
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
