import { KEY_BYTES } from '../identity-key.ts';

/** Distinct keys in ascending order, one behind the other, and for each given key the number of its equal among them. */
export interface SortedKeys {
  readonly sorted: Buffer;
  readonly ordinals: Int32Array;
}

const INDEX_RANGE = 2 ** 21;

/**
 * Sorts keys of 16 bytes that lie one behind the other. It sorts numbers that hold a key's first 32 bits and its index, which
 * takes a fifth of the time of comparing texts. The few keys that share those bits are put in order afterwards.
 */
export function sortKeys(keys: Buffer): SortedKeys {
  const count = keys.length / KEY_BYTES;
  const order = count < INDEX_RANGE ? orderByPrefix(keys, count) : orderByKey(keys, count);
  const sorted = Buffer.allocUnsafeSlow(keys.length);
  const ordinals = new Int32Array(count);
  let distinct = 0;
  let last = -1;
  for (const index of order) {
    if (last < 0 || compareKeys(keys, last, index) !== 0) {
      copyKey(keys, index, { to: sorted, at: distinct });
      distinct++;
    }
    ordinals[index] = distinct - 1;
    last = index;
  }
  return { sorted: sorted.subarray(0, distinct * KEY_BYTES), ordinals };
}

function orderByPrefix(keys: Buffer, count: number): Int32Array {
  const numbers = new Float64Array(count);
  for (let index = 0; index < count; index++) {
    numbers[index] = keys.readUInt32BE(index * KEY_BYTES) * INDEX_RANGE + index;
  }
  numbers.sort();
  const order = new Int32Array(count);
  let last = -1;
  for (let at = 0; at < count; at++) {
    const number = numbers[at] as number;
    const prefix = Math.floor(number / INDEX_RANGE);
    order[at] = number - prefix * INDEX_RANGE;
    if (prefix === last) sink(order, at, keys);
    last = prefix;
  }
  return order;
}

/** Copies a key byte by byte: a call of `copy` costs more than sixteen assignments. */
function copyKey(keys: Buffer, index: number, { to, at }: { readonly to: Buffer; readonly at: number }): void {
  const from = index * KEY_BYTES;
  const start = at * KEY_BYTES;
  for (let byte = 0; byte < KEY_BYTES; byte++) to[start + byte] = keys[from + byte] as number;
}

/** Inserts the entry at `from` in order among those before it. */
function sink(order: Int32Array, from: number, keys: Buffer): void {
  const index = order[from] as number;
  let at = from;
  for (; at > 0 && compareKeys(keys, order[at - 1] as number, index) > 0; at--) order[at] = order[at - 1] as number;
  order[at] = index;
}

function compareKeys(keys: Buffer, left: number, right: number): number {
  const difference = keys.readUInt32BE(left * KEY_BYTES) - keys.readUInt32BE(right * KEY_BYTES);
  if (difference !== 0) return difference;
  const [from, to] = [left * KEY_BYTES, right * KEY_BYTES];
  return keys.compare(keys, to, to + KEY_BYTES, from, from + KEY_BYTES);
}

function orderByKey(keys: Buffer, count: number): Int32Array {
  return Int32Array.from({ length: count }, (_, index) => index).sort((left, right) => compareKeys(keys, left, right));
}
