// Organisations, accounts, workspaces, credentials, signing keys: reference tables, rarely written, never locked, without
// counters. Settings and audit log belong to a workspace and begin with its id.
import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  customType,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  timestamp,
  unique,
  uniqueIndex,
} from 'drizzle-orm/pg-core';
import type { WorkspaceId } from '../kernel/index.ts';
import { jsonColumn } from '../store/index.ts';
import type { DataPlanVersion } from './contract/data-plan.ts';
import type { SettingsBody } from './contract/settings.ts';
import type { PublicJwk } from './contract/token.ts';
import type { Role } from './credentials/platform-credential.ts';

const bytea = customType<{ data: Buffer }>({ dataType: () => 'bytea' });
const time = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });
const identity = (name: string) => bigint(name, { mode: 'bigint' }).generatedAlwaysAsIdentity();

// no workspace_id: an organisation stands above its workspaces
export const organisations = pgTable('organisations', {
  id: identity('id').primaryKey(),
  name: text('name').notNull().unique(),
  createdOn: time('created_on').notNull(),
});

// no workspace_id: an account stands above its workspaces
export const accounts = pgTable(
  'accounts',
  {
    id: identity('id').primaryKey(),
    organisationId: bigint('organisation_id', { mode: 'bigint' })
      .notNull()
      .references(() => organisations.id),
    name: text('name').notNull(),
    warehouseSyncProvisioned: boolean('warehouse_sync_provisioned').notNull().default(true),
    createdOn: time('created_on').notNull(),
  },
  (table) => [unique('accounts_by_name').on(table.organisationId, table.name)],
);

// no workspace_id: its own id is the workspace_id of every tenant table
export const workspaces = pgTable(
  'workspaces',
  {
    id: identity('id').primaryKey(),
    accountId: bigint('account_id', { mode: 'bigint' })
      .notNull()
      .references(() => accounts.id),
    name: text('name').notNull(),
    createdOn: time('created_on').notNull(),
  },
  (table) => [unique('workspaces_by_name').on(table.accountId, table.name)],
);

// by client id: a token request names no workspace
export const platformCredentials = pgTable(
  'platform_credentials',
  {
    clientId: text('client_id').primaryKey(),
    accountId: bigint('account_id', { mode: 'bigint' })
      .notNull()
      .references(() => accounts.id),
    name: text('name').notNull(),
    /** `admin` or `read`. */
    role: text('role').$type<Role>().notNull(),
    /** Workspaces of the credential; null stands for every workspace of the account, later ones too. */
    workspaceIds: bigint('workspace_ids', { mode: 'bigint' }).array().$type<WorkspaceId[]>(),
    secretSha256: bytea('secret_sha256').notNull(),
    /** Secret before the last rotation, which gets tokens until `previous_until`. */
    previousSha256: bytea('previous_sha256'),
    previousUntil: time('previous_until'),
    createdOn: time('created_on').notNull(),
    /**
     * Set when the credential is revoked and gets no more tokens.
     * The row stays, because its tokens are valid until they expire (D-020).
     */
    revokedOn: time('revoked_on'),
  },
  (table) => [
    uniqueIndex('platform_credentials_by_name').on(table.accountId, table.name).where(sql`revoked_on IS NULL`),
  ],
);

// by key: a request with Basic credentials names no workspace; the keys of feeds are here, too
export const inputCredentials = pgTable('input_credentials', {
  key: text('key').primaryKey(),
  workspaceId: bigint('workspace_id', { mode: 'bigint' })
    .notNull()
    .references(() => workspaces.id),
  name: text('name').notNull(),
  /** The encrypted secret: HMAC needs its plain text (D-016). */
  secret: text('secret').notNull(),
  /** Secret before the last rotation, encrypted, which is accepted until `previous_until`. */
  previousSecret: text('previous_secret'),
  previousUntil: time('previous_until'),
  /** Uses that the key allows: words of `INPUT_USES`. */
  uses: text('uses').array().notNull().default(['server']),
  /** Feed whose key this is. Has no foreign key: none leads from a reference table to a tenant's. */
  feedId: bigint('feed_id', { mode: 'bigint' }),
  createdOn: time('created_on').notNull(),
  revokedOn: time('revoked_on'),
});

export const feeds = pgTable(
  'feeds',
  {
    workspaceId: bigint('workspace_id', { mode: 'bigint' })
      .notNull()
      .references(() => workspaces.id),
    id: identity('id'),
    name: text('name').notNull(),
    moduleName: text('module_name').notNull(),
    os: text('os'),
    /** Settings as they were sent, as JSON text. */
    settings: text('settings').notNull(),
    isActive: boolean('is_active').notNull(),
    /** Key of the input credential that has the feed's secret. */
    key: text('key')
      .notNull()
      .references(() => inputCredentials.key),
    createdOn: time('created_on').notNull(),
    createdBy: text('created_by').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    unique('feeds_by_name').on(table.workspaceId, table.name),
  ],
);

export const dataPlans = pgTable(
  'data_plans',
  {
    workspaceId: bigint('workspace_id', { mode: 'bigint' })
      .notNull()
      .references(() => workspaces.id),
    id: text('id').notNull(),
    name: text('name').notNull(),
    /** JSON text `[{version, status}]`, each version once, in order. */
    versions: jsonColumn<readonly DataPlanVersion[]>('versions').notNull(),
    createdOn: time('created_on').notNull(),
    createdBy: text('created_by').notNull(),
    lastModifiedOn: time('last_modified_on'),
    lastModifiedBy: text('last_modified_by'),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.id] })],
);

// no workspace_id: tokens are signed for the whole installation
export const signingKeys = pgTable('signing_keys', {
  /** The `kid` of its tokens. */
  id: text('id').primaryKey(),
  /** Counts rotations; unique, so that daemons that start or rotate at the same time make one key. */
  generation: integer('generation').notNull().unique(),
  /** Public part as JWK text, served until `retires_on`. */
  publicJwk: jsonColumn<PublicJwk>('public_jwk').notNull(),
  /** Encrypted PKCS#8. */
  privateKey: text('private_key').notNull(),
  createdOn: time('created_on').notNull(),
  /** Time until which the key's tokens are valid, set when a newer key takes over. */
  retiresOn: time('retires_on'),
});

export const workspaceSettings = pgTable('workspace_settings', {
  workspaceId: bigint('workspace_id', { mode: 'bigint' })
    .primaryKey()
    .references(() => workspaces.id),
  /** The settings document as JSON text; an absent setting has its default. */
  settings: jsonColumn<SettingsBody>('settings').notNull(),
  version: integer('version').notNull(),
});

export const auditLog = pgTable(
  'audit_log',
  {
    workspaceId: bigint('workspace_id', { mode: 'bigint' })
      .notNull()
      .references(() => workspaces.id),
    id: identity('id'),
    occurredOn: time('occurred_on').notNull(),
    /** Client id, key id or `cli:<user>`. */
    actor: text('actor').notNull(),
    /** `connection.created`, `settings.changed` … */
    action: text('action').notNull(),
    resource: text('resource').notNull(),
    /** Changed values as JSON text without secrets. */
    detail: text('detail').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    index('audit_log_by_time').on(table.workspaceId, table.occurredOn),
    // most entries are looks at profiles: this index finds an erased person's, and an erasure then reads only the others
    index('audit_log_of_profiles').on(table.workspaceId, table.resource).where(sql`resource LIKE 'profile/%'`),
    index('audit_log_of_others').on(table.workspaceId, table.id).where(sql`resource NOT LIKE 'profile/%'`),
  ],
);
