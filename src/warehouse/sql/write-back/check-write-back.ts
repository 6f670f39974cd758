// Checks a model whose table gets its MPIDs back (docs/spec/warehouse-sync.md#query-rules). It uses the tree of the gate's
// parser for every product. node-sql-parser, which returns lists of tables and columns, has no grammar for DuckDB, and Hive's
// for Databricks. Its lists leave out what the rules check (stars, aliases, clauses, time travel).
import type { Dialect } from '../../dialect.ts';
import { checkByGrammar, complain, type SqlComplaint } from '../check-model.ts';
import { loadParser, type SqlParser } from '../parser.ts';
import { nodeOf } from '../syntax-tree.ts';
import { type IdentityColumns, identityOf, readWriteBack, type WriteBackReading } from './read-model.ts';
import { WRITE_BACK_RULES, type WriteBackRule } from './rules.ts';

/** Everything that is needed to read the rows and to update their table. No name in it was quoted, so none needs quotes. */
export interface WriteBackModel {
  /** The model without white space around it. */
  readonly sql: string;
  /** Parts of the table's name, the outermost first, as they are written. */
  readonly table: readonly string[];
  /** Columns that may address a row, at least one, with their names as written. `position` is an index into a row. */
  readonly identities: readonly { readonly column: string; readonly position: number; readonly type: string }[];
  readonly mpid: { readonly column: string; readonly position: number };
}

export interface WriteBackComplaint extends SqlComplaint {
  /** The broken rule. `model`: the text is no model at all. */
  readonly rule: WriteBackRule | 'model';
}

/**
 * The result of the check. `projectsMpid` says whether the rows have a field MPID, which makes their pipeline a
 * write-back pipeline (D-103). It is undefined where only the warehouse knows, because of a star or because the text
 * could not be read.
 */
export type WriteBackCheck =
  | { readonly outcome: 'accepted'; readonly model: WriteBackModel; readonly projectsMpid: true }
  | {
      readonly outcome: 'refused';
      /** Every broken rule once, in the order of the rules; never empty. */
      readonly complaints: readonly WriteBackComplaint[];
      readonly projectsMpid: boolean | undefined;
    };

/** Checks a model by one product's grammar: when a pipeline joins it to a connection, when it changes, and before each run. */
export async function checkWriteBackModel(
  sql: string,
  dialect: Pick<Dialect, 'grammar'>,
  identities: IdentityColumns,
): Promise<WriteBackCheck> {
  return check(await loadParser(), { sql, grammar: dialect.grammar, identities });
}

interface Asked {
  readonly sql: string;
  readonly grammar: string;
  readonly identities: IdentityColumns;
}

function check(parser: SqlParser, { sql, grammar, identities }: Asked): WriteBackCheck {
  const gate = checkByGrammar(parser, sql, grammar);
  if (gate.outcome === 'refused') return noModel(gate.complaint);
  if (gate.outcome === 'undecided') return noModel(complain(sql, 0, { kind: 'construct', message: TOO_MUCH }));
  const parsed = parser.parse(gate.sql, grammar);
  const root = parsed.outcome === 'parsed' ? nodeOf(parsed.statements[0]) : undefined;
  if (root === undefined) return noModel(complain(sql, 0, { kind: 'construct', message: TOO_MUCH }));
  const reading = readWriteBack({ sql, tokens: parser.tokens(sql, grammar) ?? [], root, identities });
  const complaints = WRITE_BACK_RULES.flatMap(({ rule, find }) => {
    const finding = find(reading);
    if (finding === undefined) return [];
    return [{ ...complain(sql, finding.offset, { kind: 'construct', message: finding.message }), rule }];
  });
  const model = modelOf(reading);
  if (complaints.length > 0 || model === undefined)
    return { outcome: 'refused', complaints, projectsMpid: mpidOf(reading) };
  return { outcome: 'accepted', model, projectsMpid: true };
}

const TOO_MUCH = 'The model is too long or too deeply nested to be read as a write-back model; shorten its WHERE.';

function noModel(complaint: SqlComplaint): WriteBackCheck {
  return { outcome: 'refused', complaints: [{ ...complaint, rule: 'model' }], projectsMpid: undefined };
}

/** Returns the model that was read. Returns undefined only where a rule complains as well. */
function modelOf({ sql, table, projection, identities }: WriteBackReading): WriteBackModel | undefined {
  const columns = projection.map(({ name }, position) => ({ column: name, position }));
  const mpid = columns.find(({ column }) => column.toLowerCase() === 'mpid');
  if (mpid === undefined) return undefined;
  const known = columns.flatMap(({ column, position }) => {
    const type = identityOf(column, identities);
    return type === undefined ? [] : [{ column, position, type }];
  });
  return { sql: sql.trim(), table: table.path, identities: known, mpid };
}

function mpidOf({ projection }: WriteBackReading): boolean | undefined {
  if (projection.some(({ name }) => name.toLowerCase() === 'mpid')) return true;
  return projection.some(({ kind }) => kind === 'star') ? undefined : false;
}
