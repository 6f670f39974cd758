import type { Secret, WorkspaceId } from '../../kernel/index.ts';
import { type AccessDeps, type Actor, timeOf } from '../access-deps.ts';
import { readName } from '../organisations/read-name.ts';
import { requireWorkspace } from '../organisations/require-workspace.ts';
import { inputCredentials } from '../tables.ts';
import { generateCredential } from './generate-credential.ts';
import { recordInputChange, sealInputSecret } from './input-credential.ts';
import { readInputUses } from './input-uses.ts';

/** Key and secret of a new credential, shown once: the store keeps the secret encrypted, and it is never shown again. */
export interface InputSecret {
  readonly key: string;
  readonly secret: Secret;
}

/** Creates the key and secret with which batches and identity requests come in. Throws NOT_FOUND without such a workspace. */
export async function createInputCredential(
  { store, clock, keyRing }: AccessDeps,
  input: { workspaceId: WorkspaceId; name: string; uses?: readonly string[]; actor: Actor },
): Promise<InputSecret> {
  const name = readName('name', input.name);
  const { id: key, secret } = generateCredential();
  const createdOn = timeOf(clock);
  const uses = [...readInputUses(input.uses ?? ['server'])];
  const { workspaceId } = input;
  const row = { key, workspaceId, name, uses, secret: sealInputSecret(keyRing, key, secret), createdOn };
  await store.transaction(async (tx) => {
    await requireWorkspace(tx, workspaceId);
    await tx.orm.insert(inputCredentials).values(row);
    const change = { actor: input.actor, occurredOn: createdOn, action: 'input_credential.created' };
    await recordInputChange(tx, row, { ...change, detail: { name, uses } });
  });
  return { key, secret };
}
