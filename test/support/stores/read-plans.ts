import type { Sql } from '../../../src/store/index.ts';

/** A node of a plan as `EXPLAIN (FORMAT JSON)` shows it. */
interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Index Name'?: string;
  readonly 'Index Cond'?: string;
  readonly Plans?: readonly PlanNode[];
}

const nodesOf = (plan: PlanNode): readonly PlanNode[] => [plan, ...(plan.Plans ?? []).flatMap(nodesOf)];

/** Returns the nodes of the plan of a statement, whatever its parameters. */
async function readPlan(sql: Sql, statement: string): Promise<readonly PlanNode[]> {
  const [row] = await sql.query<{ 'QUERY PLAN': string }>(`EXPLAIN (GENERIC_PLAN, FORMAT JSON) ${statement}`);
  const plans: readonly { readonly Plan: PlanNode }[] = JSON.parse(row?.['QUERY PLAN'] ?? '[]');
  return plans.flatMap(({ Plan }) => nodesOf(Plan));
}

/** Returns the statements that have a plan. */
export const planned = (statements: Iterable<string>): readonly string[] =>
  [...statements].filter((text) => /^\s*(\/\*.*?\*\/\s*)?(select|insert|update|delete|with)\b/is.test(text));

interface Growth {
  readonly tables: readonly string[];
  /** Indexes that may be read without a condition beyond the workspace: those of what is open, and orders of pages. */
  readonly walked: readonly string[];
}

/** Returns what the statement reads of the tables from one end to the other, or all that a workspace has in them. */
export async function readWhole(sql: Sql, statement: string, { tables, walked }: Growth): Promise<readonly string[]> {
  const places = (await readPlan(sql, statement)).flatMap((node) => {
    const { 'Relation Name': table = '', 'Index Name': index = '' } = node;
    if (node['Node Type'] === 'Seq Scan') return tables.includes(table) ? table : [];
    const isOfTables = tables.some((name) => index.startsWith(`${name}_`));
    return isOfTables && !walked.includes(index) && !isBounded(node) ? index : [];
  });
  return places.map((place) => `${place}: ${statement}`);
}

/** Returns true where the condition of an index says more than whose rows are meant. */
function isBounded({ 'Index Cond': condition = '' }: PlanNode): boolean {
  return condition.split(' AND ').some((each) => !/^\(*((workspace_id|environment) |$)/.test(each));
}
