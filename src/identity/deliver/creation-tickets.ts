// The queue in front of the creation lock. PostgreSQL lets a new FOR SHARE pass a waiting FOR UPDATE. So a transaction that
// asks for the lock alone (the *asker*) first commits a *ticket*; shares that see it step aside until it is gone. The asker
// deletes its ticket as the first statement of the transaction that takes the lock. The ticket is thus locked as long as that
// transaction lives, and goes with its commit. A ticket that no transaction holds for long is abandoned: its asker was killed.
import { randomUUID } from 'node:crypto';
import { systemClock, type WorkspaceId } from '../../kernel/index.ts';
import type { Sql, Store } from '../../store/index.ts';

/** Milliseconds between two looks at a ticket: the most that a share loses after the asker's commit. */
const LOOK_MS = 20;
/** One second, where an asker takes milliseconds from its ticket to its transaction. */
const LOOKS_UNTIL_ABANDONED = 50;
/** Ten seconds. An asker gives up sooner, unless its process is frozen (`LONGEST_LOCK_TIMEOUT_MS`). */
const MOST_LOOKS = 500;

/** Draws a ticket, which makes shares that begin from now on wait. Returns its id. */
export async function drawTicket(sql: Sql, workspaceId: WorkspaceId): Promise<string> {
  const ticket = randomUUID();
  await sql.execute('INSERT INTO creation_tickets (workspace_id, id) VALUES ($1, $2)', [workspaceId, ticket]);
  return ticket;
}

/** Deletes the ticket: as the first statement of the asker's transaction, or outside of it to let the shares go on. */
export async function handTicketIn(sql: Sql, workspaceId: WorkspaceId, ticket: string): Promise<void> {
  await sql.execute('DELETE FROM creation_tickets WHERE workspace_id = $1 AND id = $2', [workspaceId, ticket]);
}

/**
 * Resolves when none of the tickets is left, or after the longest wait. Later tickets are not waited for, so no share waits for
 * ever. The caller holds no connection and no lock meanwhile. Looks are counted and no clock is read, so clocks that differ or
 * jump change nothing.
 */
export async function letAskersPass(store: Store, workspaceId: WorkspaceId, tickets: readonly string[]): Promise<void> {
  for (let look = 1; look <= MOST_LOOKS; look++) {
    await systemClock.sleep(LOOK_MS);
    if (look % LOOKS_UNTIL_ABANDONED === 0) await deleteAbandoned(store, workspaceId, tickets);
    if (!(await isAnyLeft(store, workspaceId, tickets))) return;
  }
}

async function isAnyLeft(sql: Sql, workspaceId: WorkspaceId, tickets: readonly string[]): Promise<boolean> {
  const [left] = await sql.query(
    'SELECT FROM creation_tickets WHERE workspace_id = $1 AND id = ANY($2::uuid[]) LIMIT 1',
    [workspaceId, tickets],
  );
  return left !== undefined;
}

/** Deletes the tickets that no transaction holds. */
async function deleteAbandoned(sql: Sql, workspaceId: WorkspaceId, tickets: readonly string[]): Promise<void> {
  await sql.execute(
    `DELETE FROM creation_tickets WHERE workspace_id = $1 AND id IN
       (SELECT id FROM creation_tickets WHERE workspace_id = $1 AND id = ANY($2::uuid[]) FOR UPDATE SKIP LOCKED)`,
    [workspaceId, tickets],
  );
}
