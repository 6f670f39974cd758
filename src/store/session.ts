import { drizzle, type NodePgClient, type NodePgDatabase } from 'drizzle-orm/node-postgres';
import type { QueryConfig, QueryResult } from 'pg';
import type { Sql, SqlValue } from './contract.ts';
import { storeError } from './errors.ts';
import type { Answer, Statement } from './run-statement.ts';

/** The statements that a pool and one of its connections can run; it throws what the driver throws. */
export interface Runner {
  /** Runs a statement without values, or one of drizzle. */
  query(statement: string | QueryConfig, values?: unknown[]): Promise<QueryResult>;
  run(statement: Statement): Promise<Answer>;
}

export type OnStatement = ((text: string) => void) | undefined;

/** Creates statements over `runner`, with its errors mapped. */
export function createSql(plain: Runner, onStatement?: OnStatement): Sql {
  const runner = onStatement === undefined ? plain : watched(plain, onStatement);
  const run = async (
    text: string,
    values: readonly SqlValue[],
  ): Promise<Pick<Answer, 'rows'> & Pick<QueryResult, 'rowCount'>> => {
    try {
      // without values pg takes the simple protocol, which may carry several statements
      return await (values.length === 0 ? runner.query(text) : runner.run({ text, values }));
    } catch (error) {
      throw storeError(error);
    }
  };
  let orm: NodePgDatabase | undefined;
  return {
    async query<Row extends object>(text: string, values: readonly SqlValue[] = []): Promise<readonly Row[]> {
      return (await run(text, values)).rows as readonly Row[];
    },
    async execute(text, values = []) {
      return (await run(text, values)).rowCount ?? 0;
    },
    get orm() {
      orm ??= ormOver({ query: runner.query });
      return orm;
    },
  };
}

function watched(runner: Runner, onStatement: (text: string) => void): Runner {
  return {
    async query(statement, values) {
      onStatement(typeof statement === 'string' ? statement : statement.text);
      return runner.query(statement, values);
    },
    async run(statement) {
      onStatement(statement.text);
      return runner.run(statement);
    },
  };
}

/** Creates a drizzle over `runner`. Its own errors print every parameter, secrets too, so they are replaced by ours. */
function ormOver(runner: Pick<Runner, 'query'>): NodePgDatabase {
  const orm = drizzle(runner as NodePgClient);
  const { session } = orm._;
  const prepareQuery = session.prepareQuery.bind(session);
  const prepareMapped = (...args: Parameters<typeof prepareQuery>) => {
    const prepared = prepareQuery(...args);
    const execute = prepared.execute.bind(prepared);
    prepared.execute = (placeholders) =>
      execute(placeholders).catch((error: unknown) => {
        throw storeError(error);
      });
    return prepared;
  };
  session.prepareQuery = prepareMapped as typeof prepareQuery;
  return orm;
}
