// What a connector is: the contract, cells and column types, the SQL gate, range predicates. No provider is named in code here.
export type { Cell, Column, ColumnType, NestedCell } from './cells.ts';
export {
  type BoundValue,
  type Capabilities,
  type ConnectionConfig,
  type Connector,
  type ConnectorEnvironment,
  type ConnectorSpec,
  type Fleet,
  PROVIDERS,
  type ProbeStage,
  type Provider,
  type ReadRequest,
  type ReadResult,
  type Session,
  type StageName,
  type Statement,
} from './connector.ts';
export type { Dialect } from './dialect.ts';
export { COMMON_ALIASES, ITERATOR_TYPES, type IteratorType } from './iterator.ts';
