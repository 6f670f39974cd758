// What requests, forwards and partners hold encrypted, written anew with the newest key, so that an older one can leave the
// configuration. Safe beside daemons at work: what changed meanwhile is left to the next call.
import { and, eq } from 'drizzle-orm';
import { type KeyRing, workspaceId as workspaceOf } from '../kernel/index.ts';
import type { Sql } from '../store/index.ts';
import { forwardContext } from './forwarding/forward-request.ts';
import { type Partner, revealAuth, sealAuth, secretOf } from './forwarding/partner.ts';
import { dsrForwards, dsrPartners } from './forwarding/tables.ts';
import { requestContext } from './request.ts';
import { dsrRequests } from './tables.ts';

/** How many rows were written anew. */
export interface ReencryptedRequests {
  readonly dsrRequests: number;
  readonly dsrForwards: number;
  readonly dsrPartners: number;
}

/** Throws SECRET_UNREADABLE for a row whose key is not configured. */
export async function reencryptRequests(sql: Sql, keyRing: KeyRing): Promise<ReencryptedRequests> {
  return {
    dsrRequests: await reencryptSubjects(sql, keyRing),
    dsrForwards: await reencryptForwards(sql, keyRing),
    dsrPartners: await reencryptPartners(sql, keyRing),
  };
}

/** Read at once: of requests each row can hold some hundred kilobytes. */
const PAGE_ROWS = 100;
/** Comes before the id of every request. */
const NO_ID = '00000000-0000-0000-0000-000000000000';

/** All rows, a page at a time, each behind the last row of the one before. */
async function* paged<Row>(readAfter: (last: Row | undefined) => Promise<readonly Row[]>): AsyncGenerator<Row> {
  let last: Row | undefined;
  for (;;) {
    const rows = await readAfter(last);
    yield* rows;
    last = rows.at(-1);
    if (rows.length < PAGE_ROWS) return;
  }
}

interface SealedRequest {
  readonly workspaceId: bigint;
  readonly id: string;
  readonly subject: string;
  readonly encodedRequest: string | null;
}

async function readSubjects(sql: Sql, last: SealedRequest | undefined): Promise<readonly SealedRequest[]> {
  return await sql.query<SealedRequest>(
    `/* across workspaces: requests whose person is not forgotten yet */
     SELECT workspace_id AS "workspaceId", id, subject, encoded_request AS "encodedRequest" FROM dsr_requests
     WHERE subject IS NOT NULL AND (workspace_id, id) > ($1::bigint, $2::uuid)
     ORDER BY workspace_id, id LIMIT ${PAGE_ROWS}`,
    [last?.workspaceId ?? 0n, last?.id ?? NO_ID],
  );
}

async function reencryptSubjects(sql: Sql, keyRing: KeyRing): Promise<number> {
  let written = 0;
  for await (const row of paged<SealedRequest>((last) => readSubjects(sql, last))) {
    if (!keyRing.needsRotation(row.subject)) continue;
    const anew = (text: string, field: string) => renew(keyRing, text, requestContext(row, field));
    const encodedRequest = row.encodedRequest === null ? null : anew(row.encodedRequest, 'encoded_request');
    const changed = await sql.orm
      .update(dsrRequests)
      .set({ subject: anew(row.subject, 'subject'), encodedRequest })
      .where(
        and(
          eq(dsrRequests.workspaceId, row.workspaceId),
          eq(dsrRequests.id, row.id),
          eq(dsrRequests.subject, row.subject),
        ),
      )
      .returning({ id: dsrRequests.id });
    written += changed.length;
  }
  return written;
}

interface SealedForward {
  readonly workspaceId: bigint;
  readonly requestId: string;
  readonly partnerId: string;
  readonly body: string;
}

async function readForwards(sql: Sql, last: SealedForward | undefined): Promise<readonly SealedForward[]> {
  return await sql.query<SealedForward>(
    `/* across workspaces: forwards that are not sent yet */
     SELECT workspace_id AS "workspaceId", request_id AS "requestId", partner_id AS "partnerId", body FROM dsr_forwards
     WHERE body IS NOT NULL AND (workspace_id, request_id, partner_id) > ($1::bigint, $2::uuid, $3::text)
     ORDER BY workspace_id, request_id, partner_id LIMIT ${PAGE_ROWS}`,
    [last?.workspaceId ?? 0n, last?.requestId ?? NO_ID, last?.partnerId ?? ''],
  );
}

async function reencryptForwards(sql: Sql, keyRing: KeyRing): Promise<number> {
  let written = 0;
  for await (const { body, ...key } of paged<SealedForward>((last) => readForwards(sql, last))) {
    if (!keyRing.needsRotation(body)) continue;
    const changed = await sql.orm
      .update(dsrForwards)
      .set({ body: renew(keyRing, body, forwardContext(key)) })
      .where(
        and(
          eq(dsrForwards.workspaceId, key.workspaceId),
          eq(dsrForwards.requestId, key.requestId),
          eq(dsrForwards.partnerId, key.partnerId),
          eq(dsrForwards.body, body),
        ),
      )
      .returning({ id: dsrForwards.partnerId });
    written += changed.length;
  }
  return written;
}

async function reencryptPartners(sql: Sql, keyRing: KeyRing): Promise<number> {
  const rows = await sql.query<{ readonly workspaceId: bigint; readonly id: string; readonly auth: string }>(
    `/* across workspaces: how partners are signed in to */
     SELECT workspace_id AS "workspaceId", id, auth FROM dsr_partners`,
  );
  let written = 0;
  for (const row of rows) {
    const auth = JSON.parse(row.auth) as Partner['auth'];
    const secret = secretOf(auth);
    if (secret === undefined || !keyRing.needsRotation(secret)) continue;
    const key = { workspaceId: workspaceOf(row.workspaceId), id: row.id };
    const anew = sealAuth(keyRing, key, revealAuth(keyRing, { ...key, auth }));
    const changed = await sql.orm
      .update(dsrPartners)
      .set({ auth: JSON.stringify(anew) })
      .where(
        and(eq(dsrPartners.workspaceId, key.workspaceId), eq(dsrPartners.id, key.id), eq(dsrPartners.auth, row.auth)),
      )
      .returning({ id: dsrPartners.id });
    written += changed.length;
  }
  return written;
}

function renew(keyRing: KeyRing, text: string, context: string): string {
  return keyRing.encrypt(keyRing.decrypt(text, context), context);
}
