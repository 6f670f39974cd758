import type { Connection, PoolClient, Submittable } from 'pg';
import { itemAt } from '../kernel/index.ts';
import type { SqlRow, SqlValue } from './contract.ts';
import type { Preparation, PreparedStatements } from './prepared-statements.ts';
import { parserOf, wireValue } from './values.ts';

/** A statement with its values. */
export interface Statement {
  readonly text: string;
  readonly values: readonly SqlValue[];
}

export interface Answer {
  readonly rows: readonly SqlRow[];
  /** Rows that the statement returned or changed. */
  readonly rowCount: number;
}

export interface HowToRun {
  /** The prepared statements of the session; undefined where the server keeps none. */
  readonly prepared: PreparedStatements | undefined;
  /** Settings of the transaction that change plans. */
  readonly planning: string;
}

interface Field {
  readonly name: string;
  readonly dataTypeID: number;
}

/** The handlers that pg calls while our query is the active one; its types know only `submit`. */
interface StatementQuery extends Submittable {
  handleRowDescription(message: { readonly fields: readonly Field[] }): void;
  handleDataRow(message: { readonly fields: readonly (string | null)[] }): void;
  handleCommandComplete(message: { readonly text: string }): void;
  handleReadyForQuery(): void;
  handleError(error: Error): void;
}

/**
 * Runs one statement with values over the extended protocol, in one round trip. Rejects with what the server or the driver
 * reports.
 */
export function runStatement(session: PoolClient, statement: Statement, how: HowToRun): Promise<Answer> {
  const values = statement.values.map(wireValue);
  return new Promise((resolve, reject) => {
    const reader = createReader();
    let rowCount = 0;
    let failure: unknown;
    const query: StatementQuery = {
      submit: (connection) => send(connection, { text: statement.text, values, ...preparation(statement, how) }),
      handleRowDescription: ({ fields }) => reader.describe(fields),
      handleDataRow({ fields }) {
        if (failure !== undefined) return;
        try {
          reader.take(fields);
        } catch (error) {
          failure = error;
        }
      },
      handleCommandComplete({ text }) {
        rowCount = Number(text.slice(text.lastIndexOf(' ') + 1)) || 0;
      },
      handleReadyForQuery: () => (failure === undefined ? resolve({ rows: reader.rows, rowCount }) : reject(failure)),
      handleError(error) {
        how.prepared?.forgetAll();
        reject(error);
      },
    };
    session.query(query);
  });
}

const UNNAMED: Preparation = { name: '', isNew: true, dropped: [] };

function preparation({ text }: Statement, { prepared, planning }: HowToRun): Preparation {
  return prepared?.prepare(text, planning) ?? UNNAMED;
}

type Message = Pick<Statement, 'text'> & Preparation & { readonly values: (string | Buffer | null)[] };

/** Sends all parts of the statement at once. The connection buffers none of them itself, hence `cork`. */
function send(connection: Connection, { text, values, name, isNew, dropped }: Message): void {
  connection.stream.cork();
  for (const other of dropped) connection.close({ type: 'S', name: other }, true);
  if (isNew) connection.parse({ text, name, types: [] }, true);
  connection.bind({ statement: name, values }, true);
  connection.describe({ type: 'P', name: '' }, true);
  connection.execute({}, true);
  connection.sync();
  connection.stream.uncork();
}

/** Creates a reader of rows that come as text. */
function createReader() {
  const rows: SqlRow[] = [];
  let columns: readonly { readonly name: string; readonly parse: (text: string) => unknown }[] = [];
  return {
    rows,
    describe(fields: readonly Field[]): void {
      columns = fields.map(({ name, dataTypeID }) => ({ name, parse: parserOf(dataTypeID) }));
    },
    take(texts: readonly (string | null)[]): void {
      const row: Record<string, unknown> = {};
      for (let index = 0; index < columns.length; index++) {
        const { name, parse } = itemAt(columns, index);
        const text = texts[index] ?? null;
        row[name] = text === null ? null : parse(text);
      }
      rows.push(row);
    },
  };
}
