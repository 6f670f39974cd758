import { InvalidArgumentError } from 'commander';

/** Returns a parser for an option that is a 64-bit id. */
export function readId(name: string): (text: string) => bigint {
  return (text) => {
    if (/^[1-9]\d{0,18}$/.test(text)) return BigInt(text);
    throw new InvalidArgumentError(`${name} must be a number, as the list shows it.`);
  };
}

const UNITS_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Parses a duration, a number and one of s, m, h, d, and returns milliseconds. */
export function readDuration(text: string): number {
  const [, digits, unit = ''] = /^(\d{1,9})([smhd])$/.exec(text) ?? [];
  const unitMs = UNITS_MS[unit];
  if (digits === undefined || unitMs === undefined) {
    throw new InvalidArgumentError('write a number and a unit of s, m, h or d, such as 15m.');
  }
  return Number(digits) * unitMs;
}

/** Returns a parser for an option that is a whole number from 1 to `most`. */
export function readCount(most: number): (text: string) => number {
  return (text) => {
    const value = Number(text);
    if (Number.isInteger(value) && value >= 1 && value <= most) return value;
    throw new InvalidArgumentError(`write a whole number from 1 to ${most}.`);
  };
}

/** Parses an argument that is `on` or `off`. */
export function readSwitch(text: string): boolean {
  if (text === 'on' || text === 'off') return text === 'on';
  throw new InvalidArgumentError('must be on or off.');
}
