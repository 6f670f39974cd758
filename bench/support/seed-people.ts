import { readConfig } from '../../src/config.ts';
import { createIdentities, deliverInTransaction, type ResolutionScope } from '../../src/identity/index.ts';
import { createLog, microsOfMs, systemClock, workspaceId } from '../../src/kernel/index.ts';
import { resolveKeys } from '../../src/store/index.ts';
import { bareEnvironment } from '../../test/support/crashes/penstock-process.ts';
import type { BenchDaemon } from './daemon.ts';

const CHUNK_ROWS = 20_000;
const PLAN_AND_VISITS: AttributesOf = { names: ['plan', 'visits'], textsOf: (number) => ['"gold"', String(number)] };

/** Attributes of the people, as JSON text. */
interface AttributesOf {
  readonly names: readonly string[];
  textsOf(number: number): readonly string[];
}

/** Delivers profiles of `customer-0` and on in the workspace of the daemon, each with an e-mail and attributes. */
export async function seedPeople(
  { store, options }: BenchDaemon,
  count: number,
  { names, textsOf }: AttributesOf = PLAN_AND_VISITS,
): Promise<void> {
  const { identityKey } = await resolveKeys(readConfig(bareEnvironment(options)), createLog('error'));
  const identities = createIdentities({ key: identityKey, clock: systemClock });
  const [row] = await store.query<{ id: bigint }>('SELECT id FROM workspaces');
  const scope: ResolutionScope = {
    ...{ workspaceId: workspaceId(row?.id ?? 0n), environment: 'production', mode: 'incremental' },
  };
  const setAt = microsOfMs(Date.UTC(2025, 0, 1));
  for (let start = 0; start < count; start += CHUNK_ROWS) {
    const people = Array.from({ length: Math.min(CHUNK_ROWS, count - start) }, (_, index) => ({
      identities: [
        { type: 'customer_id', value: `customer-${start + index}` } as const,
        { type: 'email', value: `user${start + index}@example.com` } as const,
      ],
      attributes: { names, texts: textsOf(start + index) },
      setAt,
    }));
    const prepared = await identities.prepare(scope, people);
    await deliverInTransaction(store, scope.workspaceId, (tx, exclusive) =>
      identities.deliver(tx, prepared, exclusive),
    );
  }
  await store.execute('VACUUM ANALYZE profiles, profile_identities');
}
