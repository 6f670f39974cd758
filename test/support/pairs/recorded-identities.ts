import { createIdentities, type Identities, type PreparedPeople } from '../../../src/identity/index.ts';
import type { Clock } from '../../../src/kernel/index.ts';
import type { Store } from '../../../src/store/index.ts';
import { IDENTITY_KEY } from '../runs/test-engine.ts';

/** Real identities which also write a row of `arrivals` for each delivery of an e-mail address, so that a second one shows. */
export async function recordedIdentities(store: Store, clock: Clock): Promise<Identities> {
  await store.execute('CREATE TABLE IF NOT EXISTS arrivals (scope bigint, email text)');
  const real = createIdentities({ key: IDENTITY_KEY, clock });
  const emailsOf = new WeakMap<PreparedPeople, readonly string[]>();
  return {
    ...real,
    collect(...given) {
      const emails: string[] = [];
      const collected = real.collect(...given);
      return {
        add: (...[person, row]) => {
          emails.push(person.identities.find(({ type }) => type === 'email')?.value ?? '');
          collected.add(person, row);
        },
        finish: () => {
          const prepared = collected.finish();
          emailsOf.set(prepared, emails);
          return prepared;
        },
      };
    },
    async deliver(tx, prepared, exclusive) {
      const delivered = await real.deliver(tx, prepared, exclusive);
      const arrived = (emailsOf.get(prepared) ?? []).filter((_, index) => 'mpid' in (delivered.outcomes[index] ?? {}));
      const { workspaceId } = prepared.scope;
      await tx.execute('INSERT INTO arrivals SELECT $1, unnest($2::text[])', [workspaceId, arrived]);
      return delivered;
    },
  };
}
