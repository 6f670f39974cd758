import { type TSchema, Type } from 'typebox';
import type { Provider } from '../../../connectors/facts.ts';
import { AppError } from '../../../src/kernel/index.ts';
import {
  type Column,
  type ConnectionConfig,
  type Connector,
  defineConnector,
  type Session,
} from '../../../src/warehouse/index.ts';

/** A warehouse that fails on command, with faults that a real one has only when it is broken. */
export interface ScriptedWarehouse {
  readonly connector: Connector;
  /** Columns by table; a model is described by the first table after FROM. */
  readonly tables: Map<string, readonly Column[]>;
  /** Thrown by whatever is asked, while it is set. */
  failure: AppError | undefined;
  /** Never answers, while it is set, until it is told to give up. */
  isSilent: boolean;
  /** Done once, while somebody waits for the next session. */
  meanwhile: (() => Promise<unknown>) | undefined;
  /** Configurations it was opened with, the newest last. */
  readonly opened: ConnectionConfig[];
  /** Statements it was asked to describe. */
  readonly described: string[];
}

export function column(name: string, type: Column['type'], nativeType: string = type.toUpperCase()): Column {
  return { name, type, nativeType };
}

const DATABASE = Type.Object(
  { database: Type.String({ minLength: 1 }), password: Type.Optional(Type.String({ minLength: 1 })) },
  { additionalProperties: false },
);

export function scriptedWarehouse(provider: Provider, configSchema: TSchema = DATABASE): ScriptedWarehouse {
  const script: Omit<ScriptedWarehouse, 'connector'> = {
    tables: new Map(),
    failure: undefined,
    isSilent: false,
    meanwhile: undefined,
    opened: [],
    described: [],
  };
  const answer = async <Result>(signal: AbortSignal, work: () => Result): Promise<Result> => {
    if (script.isSilent) await new Promise((_resolve, reject) => signal.addEventListener('abort', reject));
    if (script.failure !== undefined) throw script.failure;
    return work();
  };
  const session: Session = {
    probe: (signal) => answer(signal, () => [{ name: 'reach', status: 'passed', message: 'The warehouse answers.' }]),
    describe: ({ sql }, signal) => answer(signal, () => describe(script, sql)),
    read: () => Promise.reject(new AppError('INTERNAL', 'No row is read when something is saved.')),
    clock: () => Promise.resolve(0n),
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
  const connector = defineConnector({
    provider,
    product: 'Scripted',
    configSchema,
    secretFields: ['password', 'token'],
    dialect: {
      grammar: 'duckdb',
      quoteIdentifier: (name) => `"${name}"`,
      exactText: (expression) => expression,
      placeholder: (name) => `$${name}`,
      castBound: (placeholder) => placeholder,
      iteratorAliases: { 'timestamp with time zone': 'timestamp_tz' },
    },
    capabilities: { snapshot: true, writeBack: false },
    async open(config: ConnectionConfig, _environment, signal) {
      script.opened.push(config);
      const { meanwhile } = script;
      script.meanwhile = undefined;
      await meanwhile?.();
      await answer(signal, () => undefined);
      return session;
    },
    classify: (error) => new AppError('WAREHOUSE_UNKNOWN', 'The script broke.', { cause: error }),
  });
  return Object.assign(script, { connector });
}

function describe({ tables, described }: Omit<ScriptedWarehouse, 'connector'>, sql: string): readonly Column[] {
  described.push(sql);
  const table = /from\s+([\w.]+)/i.exec(sql)?.[1] ?? '';
  const columns = tables.get(table);
  if (columns === undefined) throw new AppError('WAREHOUSE_OBJECT_MISSING', `Table ${table} does not exist.`);
  return columns;
}
