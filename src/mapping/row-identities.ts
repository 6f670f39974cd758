import { type Identity, type IdentityType, isAllZeroId, isDeviceId, type Person } from '../identity/index.ts';
import type { Cell } from '../warehouse/index.ts';
import { identityOf, mpidOf } from './cells/identity-cell.ts';
import type { Row } from './unit-mapping.ts';

type ReadCell = (row: Row) => Cell;

/** Reads the identities and the MPID of a row, as far as they are readable. */
export type RowIdentities = (row: Row) => Pick<Person, 'identities' | 'mpid'>;

interface IdentitySources {
  readonly identities: readonly { readonly type: IdentityType; readonly read: ReadCell }[];
  readonly mpid: ReadCell | undefined;
}

/**
 * Compiles the reader of identities in refused rows. Whatever is wrong with such a row, it may belong to a person who was
 * erased.
 */
export function compileRowIdentities({ identities, mpid: readMpid }: IdentitySources): RowIdentities {
  return (row) => {
    const found = identities.flatMap(({ type, read }) => readIdentity(type, read(row)));
    const cell = readMpid?.(row) ?? null;
    const mpid = cell === null ? undefined : mpidOf(cell);
    return typeof mpid === 'bigint' ? { identities: found, mpid } : { identities: found };
  };
}

function readIdentity(type: IdentityType, cell: Cell): readonly Identity[] {
  if (cell === null || isDeviceId(type)) return [];
  const identity = identityOf(type, cell);
  return 'rule' in identity || isAllZeroId(identity) ? [] : [identity];
}
