import { hash } from 'node:crypto';
import { type Clock, createIdSource, type Secret } from '../../kernel/index.ts';
import { type Block, decryptBlock, encryptBlock, roundKeysOf } from './block-cipher.ts';

/**
 * A source of MPIDs from which nobody can guess another one. An id that grows with time (`createIdSource`, 62 bits) is unique
 * over processes, but anybody who has one could count on from it. So its lower 48 bits are encrypted. The upper 14, which
 * change every 37 hours, stay, so that new profiles go to one end of the index. Decrypted again, MPIDs tell which profile is
 * older.
 */
export interface Mpids {
  next(): bigint;
  /** Returns a number that grows with the time of creation and is as unique as the MPID. */
  readonly ageOf: AgeOf;
}

export type AgeOf = (mpid: bigint) => bigint;

interface MpidOptions {
  /** The key of the identities, which never changes and which all daemons of a store share. */
  readonly key: Secret;
  readonly clock: Clock;
  /** Number of this process, below 1,024; random by default. */
  readonly node?: number;
}

const SEQUENCE_BITS = 11;
/** The bit that all of these MPIDs have set. Those of earlier versions, which grow with time unencrypted, lie below it. */
const MARK = 2n ** 62n;

export function createMpids({ key, clock, node }: MpidOptions): Mpids {
  const nextId = createIdSource(clock, node, SEQUENCE_BITS);
  const map = createMap(key);
  return { next: () => map(nextId(), encryptBlock) | MARK, ageOf: createAgeOf(key) };
}

export function createAgeOf(key: Secret): AgeOf {
  const map = createMap(key);
  return (mpid) => (mpid < MARK ? mpid : map(mpid, decryptBlock));
}

type Map48 = (id: bigint, cipher: (keys: Int32Array, block: Block) => Block) => bigint;

/** Creates the mapping that ciphers the lower 48 bits of an id under a key derived from its upper bits. */
function createMap(key: Secret): Map48 {
  const keysOf = createRoundKeys(key);
  const view = new DataView(new ArrayBuffer(8));
  return (id, cipher) => {
    view.setBigInt64(0, id);
    const keys = keysOf(view.getUint16(0));
    const [upper, lower] = cipher(keys, [view.getUint32(1) & 0xff_ff_ff, view.getUint32(4) & 0xff_ff_ff]);
    view.setUint16(2, upper >>> 8);
    view.setUint32(4, (upper << 24) | lower);
    return view.getBigInt64(0);
  };
}

/** Most round keys that are cached. Daemons that run for years meet some hundreds of them. */
const MOST_KNOWN = 1_000;

function createRoundKeys(key: Secret): (upper: number) => Int32Array {
  const known = new Map<number, Int32Array>();
  return (upper) => {
    // an MPID carries the mark, the id that it was made from does not
    const period = upper & 0x3f_ff;
    const found = known.get(period);
    if (found !== undefined) return found;
    const bytes = hash('sha256', `${key.reveal()}\nmpid\n${period}`, 'buffer');
    const word = (at: number): number => bytes.readUIntBE(3 * at, 3);
    const keys = roundKeysOf([word(0), word(1), word(2), word(3)]);
    if (known.size === MOST_KNOWN) known.clear();
    known.set(period, keys);
    return keys;
  };
}
