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
