// As much of DER (X.690) as a certificate needs.

const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const NULL = 0x05;
const OBJECT_IDENTIFIER = 0x06;
const UTF8_STRING = 0x0c;
const UTC_TIME = 0x17;
const GENERALIZED_TIME = 0x18;
const SEQUENCE = 0x30;
const SET = 0x31;

/** Tag, length, value. */
export function tagged(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const value = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag]), lengthOf(value.byteLength), value]);
}

function lengthOf(bytes: number): Buffer {
  if (bytes < 0x80) return Buffer.from([bytes]);
  const digits = Buffer.from(bytes.toString(16).padStart(bytes > 0xff ? 4 : 2, '0'), 'hex');
  return Buffer.concat([Buffer.from([0x80 | digits.byteLength]), digits]);
}

export const sequence = (...parts: readonly Uint8Array[]): Buffer => tagged(SEQUENCE, ...parts);
export const set = (...parts: readonly Uint8Array[]): Buffer => tagged(SET, ...parts);
export const octets = (value: Uint8Array): Buffer => tagged(OCTET_STRING, value);
export const bits = (value: Uint8Array): Buffer => tagged(BIT_STRING, Buffer.from([0]), value);
export const nothing = (): Buffer => tagged(NULL);
export const utf8 = (text: string): Buffer => tagged(UTF8_STRING, Buffer.from(text));

/** Big-endian; its first bit says the sign, and must be zero. */
export const positive = (value: Uint8Array): Buffer => tagged(INTEGER, value);

/** `1.2.840.113549.1.1.11`. */
export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return tagged(OBJECT_IDENTIFIER, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

function base128(number: number): number[] {
  const digits = [number & 0x7f];
  for (let left = number >> 7; left > 0; left >>= 7) digits.unshift((left & 0x7f) | 0x80);
  return digits;
}

/** To the second. Two digits of the year until 2049 (RFC 5280, 4.1.2.5). */
export function moment(time: Date): Buffer {
  const digits = time.toISOString().replace(/\.\d+|[-:T]/g, '');
  return time.getUTCFullYear() < 2050
    ? tagged(UTC_TIME, Buffer.from(digits.slice(2)))
    : tagged(GENERALIZED_TIME, Buffer.from(digits));
}
