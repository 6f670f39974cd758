export type {
  CopyColumn,
  CopyTarget,
  CopyType,
  CopyValue,
  Sql,
  SqlRow,
  SqlValue,
  Store,
  Transaction,
  TransactionOptions,
} from './contract.ts';
export { removeHome } from './embedded/remove-home.ts';
export { type Keys, resolveKeys } from './keys.ts';
export { migrateStore } from './migrate.ts';
export { openStore, type StoreOptions } from './open-store.ts';
export { attachStore, type StartOptions, startStore } from './start-store.ts';
