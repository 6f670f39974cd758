// Requests that arrive while a group commits form the next group: one transaction, one flush to disk for many of them.
import { setImmediate } from 'node:timers';
import { AppError, asAppError, itemAt } from '../kernel/index.ts';

export interface GroupCommitOptions<Item, Result> {
  /**
   * Commits a group whose items all have the same key, and returns one result an item, in order. It may be called again with a
   * part of the group after it threw, so a failed call must leave nothing behind.
   */
  deliver(group: readonly Item[]): Promise<readonly Result[]>;
  /** Bounds of one group. An item larger than `groupBytes` makes a group of its own. */
  readonly groupItems: number;
  readonly groupBytes: number;
  /** Groups that commit at the same time: over all keys, and of one key. */
  readonly groupsAtOnce: number;
  readonly groupsOfKeyAtOnce: number;
  /** Bounds of the unanswered requests: items of one key, and bytes of one key and of all. More is refused. */
  readonly heldItemsOfKey: number;
  readonly heldBytesOfKey: number;
  readonly heldBytes: number;
}

export interface GroupCommit<Item, Result> {
  /**
   * Resolves once the item's group is durable. `key` says with whom it may share a group (workspace and environment);
   * keys take turns. Throws RATE_LIMITED with Retry-After when too much waits already, and CANCELLED after `drain`.
   */
  submit(key: string, item: Item, sizeBytes: number): Promise<Result>;
  /**
   * Reserves room for all items of a request, or throws as `submit` does and reserves none. So the work done before they are
   * submitted is never in vain.
   */
  reserve(submissions: readonly Submission<Item>[]): Reservation<Result>;
  /** Accepts no more items, and resolves when all accepted ones have their answer. */
  drain(): Promise<void>;
}

export interface Submission<Item> {
  readonly key: string;
  readonly item: Item;
  readonly sizeBytes: number;
}

/** Room for the items of a request. Exactly one of the two is called. */
export interface Reservation<Result> {
  /**
   * Submits the items and returns one promise an item, in order. A drain waits for them, even one that began after the
   * reservation.
   */
  submit(): readonly Promise<Result>[];
  release(): void;
}

interface Held<Item, Result> extends Omit<Submission<Item>, 'key'> {
  readonly resolve: (result: Result) => void;
  readonly reject: (error: AppError) => void;
}

/** The items of one key. */
interface Line<Item, Result> {
  waiting: Held<Item, Result>[];
  /** Groups that commit now. */
  active: number;
  /** Number of items that wait, that commit or that have room reserved. */
  items: number;
  bytes: number;
}

const RETRY_AFTER_SECONDS = 1;

/** Creates a group commit, one for each kind of request and process; it lives as long as the process. */
export function createGroupCommit<Item, Result>(options: GroupCommitOptions<Item, Result>): GroupCommit<Item, Result> {
  return new Groups(options);
}

class Groups<Item, Result> implements GroupCommit<Item, Result> {
  readonly #options: GroupCommitOptions<Item, Result>;
  /** Keys with items; a key that had a group goes to the end. */
  readonly #lines = new Map<string, Line<Item, Result>>();
  #active = 0;
  #bytes = 0;
  #isScheduled = false;
  #drained: PromiseWithResolvers<void> | undefined;

  constructor(options: GroupCommitOptions<Item, Result>) {
    this.#options = options;
  }

  async submit(key: string, item: Item, sizeBytes: number): Promise<Result> {
    return await itemAt(this.reserve([{ key, item, sizeBytes }]).submit(), 0);
  }

  reserve(submissions: readonly Submission<Item>[]): Reservation<Result> {
    if (this.#drained !== undefined) throw new AppError('CANCELLED', 'The daemon is shutting down.');
    if (!this.#hasRoom(submissions)) throw tooMuch();
    for (const { key, sizeBytes } of submissions) this.#count(key, 1, sizeBytes);
    return {
      submit: () => submissions.map((submission) => this.#hold(submission)),
      release: () => {
        for (const { key, sizeBytes } of submissions) this.#count(key, -1, -sizeBytes);
        this.#endWhenIdle();
      },
    };
  }

  #hold({ key, item, sizeBytes }: Submission<Item>): Promise<Result> {
    const { waiting } = this.#lineOf(key);
    this.#schedule();
    return new Promise((resolve, reject) => waiting.push({ item, sizeBytes, resolve, reject }));
  }

  drain(): Promise<void> {
    this.#drained ??= Promise.withResolvers();
    this.#endWhenIdle();
    return this.#drained.promise;
  }

  #hasRoom(submissions: readonly Submission<Item>[]): boolean {
    const { heldItemsOfKey, heldBytesOfKey, heldBytes } = this.#options;
    // a single request is always accepted: its size has a limit of its own
    if (this.#bytes > 0 && this.#bytes + bytesOf(submissions) > heldBytes) return false;
    for (const [key, added] of byKey(submissions)) {
      const { items = 0, bytes = 0 } = this.#lines.get(key) ?? {};
      if (items === 0) continue;
      if (items + added.items > heldItemsOfKey || bytes + added.bytes > heldBytesOfKey) return false;
    }
    return true;
  }

  /** Counts items of a key. A key without items has no line. */
  #count(key: string, items: number, bytes: number): void {
    const line = this.#lines.get(key) ?? { waiting: [], active: 0, items: 0, bytes: 0 };
    this.#lines.set(key, line);
    line.items += items;
    line.bytes += bytes;
    this.#bytes += bytes;
    if (line.items === 0) this.#lines.delete(key);
  }

  /** Returns the line of a key that has items. */
  #lineOf(key: string): Line<Item, Result> {
    const line = this.#lines.get(key);
    if (line === undefined) throw new AppError('INTERNAL', 'An item was submitted without room for it.');
    return line;
  }

  /** Starts groups at the end of this turn of the event loop, so that all requests of the turn go together. */
  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#startGroups();
    });
  }

  #startGroups(): void {
    while (this.#active < this.#options.groupsAtOnce) {
      const key = this.#nextKey();
      if (key === undefined) return;
      void this.#commit(key);
    }
  }

  #nextKey(): string | undefined {
    for (const [key, { waiting, active }] of this.#lines) {
      if (waiting.length > 0 && active < this.#options.groupsOfKeyAtOnce) return key;
    }
    return undefined;
  }

  async #commit(key: string): Promise<void> {
    const line = this.#lineOf(key);
    this.#lines.delete(key);
    this.#lines.set(key, line);
    const group = this.#takeGroup(line);
    line.active++;
    this.#active++;
    await settle(this.#options, group);
    line.active--;
    this.#active--;
    this.#count(key, -group.length, -bytesOf(group));
    this.#schedule();
    this.#endWhenIdle();
  }

  #takeGroup(line: Line<Item, Result>): readonly Held<Item, Result>[] {
    const { groupItems, groupBytes } = this.#options;
    let count = 0;
    let bytes = 0;
    for (const { sizeBytes } of line.waiting) {
      if (count === groupItems || (count > 0 && bytes + sizeBytes > groupBytes)) break;
      count++;
      bytes += sizeBytes;
    }
    const group = line.waiting.slice(0, count);
    line.waiting = line.waiting.slice(count);
    return group;
  }

  #endWhenIdle(): void {
    if (this.#lines.size === 0) this.#drained?.resolve();
  }
}

/**
 * Answers every item of the group. An item that the store refuses, or that our code fails on, must not fail its neighbours: the
 * group is halved until that item stands alone and gets the error.
 */
async function settle<Item, Result>(
  { deliver }: Pick<GroupCommitOptions<Item, Result>, 'deliver'>,
  group: readonly Held<Item, Result>[],
): Promise<void> {
  try {
    const results = await deliver(group.map(({ item }) => item));
    for (const [index, { resolve }] of group.entries()) resolve(results[index] as Result);
  } catch (thrown) {
    const error = asAppError(thrown);
    if (group.length > 1 && mayBeOneItem(error)) {
      const half = Math.ceil(group.length / 2);
      await settle({ deliver }, group.slice(0, half));
      await settle({ deliver }, group.slice(half));
    } else for (const { reject } of group) reject(error);
  }
}

const mayBeOneItem = ({ disposition }: AppError): boolean => disposition === 'row' || disposition === 'bug';

function byKey(submissions: readonly Submission<unknown>[]): ReadonlyMap<string, { items: number; bytes: number }> {
  const sums = new Map<string, { items: number; bytes: number }>();
  for (const { key, sizeBytes } of submissions) {
    const sum = sums.get(key);
    if (sum === undefined) sums.set(key, { items: 1, bytes: sizeBytes });
    else {
      sum.items++;
      sum.bytes += sizeBytes;
    }
  }
  return sums;
}

const bytesOf = (group: readonly { readonly sizeBytes: number }[]): number =>
  group.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);

function tooMuch(): AppError {
  return new AppError('RATE_LIMITED', 'Too much data is waiting to be stored; send it again later.', {
    retryAfterSeconds: RETRY_AFTER_SECONDS,
  });
}
