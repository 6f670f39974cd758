// The contract of a connector, and the parts that all connectors share: exact cells, the SQL gate, the range predicates. It
// knows no product (those live in connectors/), no pipeline and no store. Terms: see connector.ts.
export type { Cell, Column, ColumnType, NestedCell } from './cells.ts';
export { findColumn, requireDistinctColumns } from './columns.ts';
export type {
  BoundValue,
  ConnectionConfig,
  Connector,
  ConnectorEnvironment,
  ConnectorSpec,
  CostEstimate,
  Fleet,
  ModelStatement,
  NetworkRules,
  ProbeStage,
  ReadRequest,
  ReadResult,
  Session,
  StageName,
  Statement,
} from './connector.ts';
export { defineConnector } from './define-connector.ts';
export type { Dialect } from './dialect.ts';
export { ITERATOR_TYPES, type IteratorType, parseIteratorType } from './iterator.ts';
export type { ProviderFacts, VersionOneFacts, VersionOneTimestampType } from './provider-facts.ts';
export {
  ANY_NAME,
  foldName,
  given,
  type InputRule,
  PASSWORD,
  PLAIN_NAME,
  readSetUp,
  type SetUp,
  type SetUpScript,
  type SetUpStatement,
  type SetUpValues,
} from './set-up.ts';
export type { ModelCheck } from './sql/check-model.ts';
export { acceptsSomeGrammar, checkModel, checkWriteBackModel, onDisagreement } from './sql/gate.ts';
export type { WriteBackCheck, WriteBackComplaint, WriteBackModel } from './sql/write-back/check-write-back.ts';

export { countNullIterators, countRows, type ModelToWrap, type Range, wrapModel } from './wrap-model.ts';
export {
  type KeyCell,
  STAGING_SCHEMA,
  type StagedRow,
  type StagedRows,
  type WriteBack,
  type WriteBackConflict,
  type WriteBackPortions,
  type WriteBackRequest,
  type WriteBackResult,
  type WriteBackTarget,
} from './write-back.ts';
