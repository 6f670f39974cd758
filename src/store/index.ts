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
export { migrateStore } from './migrate.ts';
export { openStore, type StoreOptions } from './open-store.ts';
