// The code of a socket means the same in every connector that has a network; a refused certificate has a class of its own.
import { describe, expect, it } from 'vitest';
import { SOCKET_CODES } from '../../../connectors/_shared/socket-errors.ts';
import type { Provider } from '../../../connectors/facts.ts';
import { FLEET } from '../../../connectors/index.ts';

const NETWORKED = ['Alpha', 'Beta', 'Gamma', 'Delta'] as const satisfies readonly Provider[];
/** Their servers' addresses are fixed or derived: no field of theirs makes a certificate hold. */
const WITHOUT_ADDRESS: readonly Provider[] = ['Alpha', 'Beta'];
const CODES = Object.entries(SOCKET_CODES);

function expectedOf(provider: Provider, fault: string): string {
  if (fault === 'address') return 'WAREHOUSE_UNREACHABLE';
  if (fault !== 'certificate') return fault;
  return WITHOUT_ADDRESS.includes(provider) ? 'WAREHOUSE_UNREACHABLE' : 'WAREHOUSE_CONFIG';
}

describe.each(NETWORKED)('%s', (provider) => {
  it.each(CODES)('knows %s', (code, fault) => {
    const cause = Object.assign(new Error('The socket failed.'), { code });
    expect(FLEET[provider]?.classify(cause)).toMatchObject({ code: expectedOf(provider, fault), cause });
  });
});

it('has no beginning of a code that begins another one', () => {
  const beginnings = CODES.map(([code]) => code);
  expect(beginnings.filter((one) => beginnings.some((other) => one !== other && one.startsWith(other)))).toEqual([]);
});
