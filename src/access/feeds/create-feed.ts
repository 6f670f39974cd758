import { eq } from 'drizzle-orm';
import type { Caller } from '../../http/index.ts';
import { AppError, type Secret, stringifyJson } from '../../kernel/index.ts';
import type { Transaction } from '../../store/index.ts';
import { type AccessDeps, timeOf } from '../access-deps.ts';
import { recordChange } from '../audit/record-change.ts';
import type { FeedBody } from '../contract/feed.ts';
import { generateCredential } from '../credentials/generate-credential.ts';
import { sealInputSecret } from '../credentials/input-credential.ts';
import { readName } from '../organisations/read-name.ts';
import { feeds, inputCredentials } from '../tables.ts';
import { type FeedRow, moduleOf } from './feed.ts';

/** Creates a feed with its own key and secret. The secret is shown only here. Throws DUPLICATE_ID. */
export async function createFeed(
  { store, clock, keyRing }: AccessDeps,
  { workspaceId, actor }: Caller,
  body: FeedBody,
): Promise<{ readonly feed: FeedRow; readonly secret: Secret }> {
  const { id: key, secret } = generateCredential();
  const createdOn = timeOf(clock);
  const wanted = readFeed(body);
  const credential = { key, workspaceId, name: wanted.name, secret: sealInputSecret(keyRing, key, secret), createdOn };
  const feed = await store.transaction(async (tx) => {
    await tx.orm.insert(inputCredentials).values(credential);
    const row = await insertFeed(tx, { ...wanted, workspaceId, key, createdOn, createdBy: actor });
    await tx.orm.update(inputCredentials).set({ feedId: row.id }).where(eq(inputCredentials.key, key));
    await recordChange(tx, {
      workspaceId,
      actor,
      occurredOn: createdOn,
      action: 'feed.created',
      resource: `feed/${row.id}`,
      detail: { name: row.name, module_name: row.moduleName, is_active: row.isActive },
    });
    return row;
  });
  return { feed, secret };
}

function readFeed({ name, module_name: moduleName, os, settings, is_active: isActive }: FeedBody) {
  return {
    name: readName('name', name),
    moduleName: moduleOf(readName('module_name', moduleName)),
    os: os ?? null,
    settings: stringifyJson(settings ?? []),
    isActive: isActive ?? true,
  };
}

async function insertFeed(tx: Transaction, values: typeof feeds.$inferInsert): Promise<FeedRow> {
  const [row] = await tx.orm.insert(feeds).values(values).onConflictDoNothing().returning();
  if (row !== undefined) return row;
  throw new AppError('DUPLICATE_ID', `The workspace already has a feed "${values.name}"; choose another name.`);
}
