export type {
  CopyColumn,
  CopyTarget,
  CopyType,
  CopyValue,
  Sql,
  SqlValue,
  Store,
  Transaction,
} from './contract.ts';
export { copyInstant } from './copy-instant.ts';
export { deleteInParts } from './delete-in-parts.ts';
export { hasDaemon } from './embedded/embedded-store.ts';
export { removeHome } from './embedded/remove-home.ts';
export { createGroupCommit, type GroupCommit, type GroupCommitOptions, type Submission } from './group-commit.ts';
export { inIndexOrder } from './in-index-order.ts';
export { resolveKeys } from './keys.ts';
export { migrateStore } from './migrate.ts';
export { openStore } from './open-store.ts';
export { type Reencrypted, reencryptTable, type SealedTable } from './reencrypt.ts';
export { attachStore, type StartOptions, startStore } from './start-store.ts';
export { storeAddress } from './store-address.ts';
export { tablesNotToVacuum } from './vacuum.ts';
export { withinPageBytes } from './within-page-bytes.ts';
