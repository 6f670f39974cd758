import { randomUUID } from 'node:crypto';
import type { Request } from '../../../src/dsr/request.ts';
import { dsrRequests } from '../../../src/dsr/tables.ts';
import type { Sql } from '../../../src/store/index.ts';
import { SCOPE } from '../people/deliver-people.ts';

type Columns = typeof dsrRequests.$inferInsert;

const NOON = new Date(Date.UTC(2026, 0, 15, 12));

/** A request as its row, without the API: an access request in progress unless told otherwise. */
export async function insertRequest(store: Sql, given: Partial<Columns> = {}): Promise<Request> {
  const row: Columns = {
    ...{ workspaceId: SCOPE.workspaceId, id: randomUUID(), version: 3, type: 'access', regulation: 'gdpr' },
    ...{ status: 'in_progress', skipWaitingPeriod: false, createdBy: 'test', matchHash: randomUUID(), subjectKeys: [] },
    ...{ submittedOn: NOON, receivedOn: NOON, startsOn: NOON },
    ...given,
  };
  const [inserted] = await store.orm.insert(dsrRequests).values(row).returning();
  return inserted as Request;
}
