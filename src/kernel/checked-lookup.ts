import { isIP, type LookupFunction } from 'node:net';

/** Returns a replacement for the lookup of a socket: the name may lead elsewhere since its addresses were checked. */
export function checkedLookup(addresses: readonly string[]): LookupFunction {
  const entries = addresses.map((address) => ({ address, family: isIP(address) === 6 ? 6 : 4 }));
  return (_host, { all }, done) => {
    const [first] = entries;
    if (all === true) done(null, entries);
    else done(null, first?.address ?? '', first?.family);
  };
}
