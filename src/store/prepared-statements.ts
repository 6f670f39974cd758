// The prepared statements of a session. PostgreSQL parses and plans an unnamed statement at every use, a fifth of its cost in
// small groups. A prepared plan stays until the server's statistics change, so one that was made over an empty table would
// scan a table of millions. Plans are therefore dropped after a second, however hot their statements are.
import { hash } from 'node:crypto';
import type { PoolClient } from 'pg';
import { type Clock, isWithin, systemClock } from '../kernel/index.ts';

/** The most statements that a session remembers. The oldest goes first, so texts that vary cannot fill the server's memory. */
const MOST_REMEMBERED = 64;
/** A plan serves tables that grew for this long. */
const REMEMBERED_MS = 1000;

/** The way in which a statement is sent: under a name, parsed anew or not, or without a name. */
export interface Preparation {
  /** Empty for a statement that is planned for this use alone. */
  readonly name: string;
  /** The server does not know the name yet. */
  readonly isNew: boolean;
  /** Names that the server is to forget before this statement. */
  readonly dropped: readonly string[];
}

const NONE: readonly string[] = [];

interface Remembered {
  readonly sinceMs: number;
  /** Empty until the second use. */
  name: string;
}

/** The statements that one session used within the last second. */
export class PreparedStatements {
  readonly #remembered = new Map<string, Remembered>();
  readonly #clock: Pick<Clock, 'nowMs'>;
  #dropped: string[] = [];

  constructor(clock: Pick<Clock, 'nowMs'> = systemClock) {
    this.#clock = clock;
  }

  /**
   * Decides how a statement is sent that is sent right now. It is prepared at its second use within a second. `planning` are
   * the settings of the transaction that change plans: a plan made under others is never used.
   */
  prepare(text: string, planning: string): Preparation {
    const key = text + planning;
    let known = this.#remembered.get(key);
    if (known === undefined || !isWithin(this.#clock, known.sinceMs, REMEMBERED_MS)) {
      this.#forget(key);
      known = { sinceMs: this.#clock.nowMs(), name: '' };
      this.#remembered.set(key, known);
      if (this.#remembered.size > MOST_REMEMBERED) this.#forgetOldest();
      return { name: '', isNew: true, dropped: this.#takeDropped() };
    }
    const isNew = known.name === '';
    if (isNew) known.name = nameOf(key);
    return { name: known.name, isNew, dropped: this.#takeDropped() };
  }

  /** Forgets everything after an error: nobody knows which of the names the server has taken. */
  forgetAll(): void {
    for (const key of this.#remembered.keys()) this.#forget(key);
  }

  #forget(key: string): void {
    const name = this.#remembered.get(key)?.name ?? '';
    if (name !== '') this.#dropped.push(name);
    this.#remembered.delete(key);
  }

  #forgetOldest(): void {
    const [oldest] = this.#remembered.keys();
    if (oldest !== undefined) this.#forget(oldest);
  }

  #takeDropped(): readonly string[] {
    if (this.#dropped.length === 0) return NONE;
    const dropped = this.#dropped;
    this.#dropped = [];
    return dropped;
  }
}

/**
 * Returns the same name for the same text in every session. Behind a pooler that hands a server connection round, a name then
 * never stands for another statement.
 */
const nameOf = (key: string): string => `penstock_${hash('sha256', key, 'base64url').slice(0, 22)}`;

/** Finds the prepared statements of a session; undefined where the server keeps none. */
export type PreparedOf = (session: PoolClient) => PreparedStatements | undefined;

/** Returns what finds the prepared statements of a session, which live as long as its connection. */
export function createPreparedOf(clock?: Pick<Clock, 'nowMs'>): PreparedOf {
  const ofSession = new WeakMap<PoolClient, PreparedStatements>();
  return (session) => {
    const known = ofSession.get(session) ?? new PreparedStatements(clock);
    ofSession.set(session, known);
    return known;
  };
}
