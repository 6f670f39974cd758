import { hash, timingSafeEqual } from 'node:crypto';
import { inspect } from 'node:util';

/** A value that cannot be printed: text, JSON and `util.inspect` all give `***`. Only `reveal()` gives it out. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return '***';
  }

  toJSON(): string {
    return '***';
  }

  [inspect.custom](): string {
    return '***';
  }
}

/**
 * The text that the API answers in place of a stored secret. A PUT that sends it back keeps the stored secret (D-016).
 */
export const SECRET_MASK = '************';

/** Compares in constant time whatever the lengths: both sides are hashed first. */
export function equalsInConstantTime(left: string, right: string): boolean {
  return timingSafeEqual(sha256(left), sha256(right));
}

/** Returns the SHA-256 of the UTF-8 text. It suffices for client secrets, because they are random (D-017). */
export function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
