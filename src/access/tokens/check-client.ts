import { timingSafeEqual } from 'node:crypto';
import { eq } from 'drizzle-orm';
import { type Clock, sha256 } from '../../kernel/index.ts';
import type { Sql } from '../../store/index.ts';
import { isCredentialId } from '../credentials/generate-credential.ts';
import type { PlatformCredentialRow } from '../credentials/platform-credential.ts';
import { platformCredentials } from '../tables.ts';
import type { ClientCredentials } from './read-client.ts';

/** Compared with for an unknown client, so that it costs the same time as a wrong secret. */
const NOBODY = Buffer.alloc(32);

/** Tells whether a live credential has this secret, or had it before a rotation whose grace still runs. */
export async function checkClient(
  { store, clock }: { readonly store: Sql; readonly clock: Clock },
  { clientId, clientSecret }: ClientCredentials,
): Promise<boolean> {
  const row = await findCredential(store, clientId);
  const given = sha256(clientSecret.reveal());
  const isCurrent = timingSafeEqual(given, row?.secretSha256 ?? NOBODY);
  const isPrevious = timingSafeEqual(given, row?.previousSha256 ?? NOBODY);
  if (row === undefined || row.revokedOn !== null) return false;
  return isCurrent || (isPrevious && row.previousUntil !== null && clock.nowMs() < row.previousUntil.getTime());
}

async function findCredential(sql: Sql, clientId: string): Promise<PlatformCredentialRow | undefined> {
  // text that cannot be an id is looked up as an empty id: the store is asked either way, but never for text that it cannot
  // hold
  const id = isCredentialId(clientId) ? clientId : '';
  const [row] = await sql.orm.select().from(platformCredentials).where(eq(platformCredentials.clientId, id));
  return row;
}
