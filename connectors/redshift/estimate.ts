import { AppError } from '../../src/kernel/index.ts';
import type { CostEstimate, Statement } from '../../src/warehouse/index.ts';
import { cutText } from '../_shared/classifier.ts';
import { renderFor } from './describe.ts';
import type { Link } from './link/link.ts';
import { explainSql } from './statements.ts';

/** The first line of a plan, its root: `Seq Scan on t  (cost=0.00..22.70 rows=1270 width=36)`, on Redshift `XN Seq Scan …`. */
const ROOT = /cost=\d+\.\d+\.\.(\d+\.\d+) rows=(\d+)/;

/** Returns the planner's estimate; nothing runs. */
export async function estimate(link: Link, statement: Statement): Promise<CostEstimate> {
  const { text, values } = renderFor(link, statement);
  const lines: string[] = [];
  await link.messages({
    send: (wire) => {
      wire.parse({ text: explainSql(text) });
      wire.bind({ values });
      wire.execute({});
    },
    onRow: ([line]) => void lines.push(line ?? ''),
  });
  const [, cost, rows] = ROOT.exec(cutText(lines[0] ?? '')) ?? [];
  if (cost === undefined) throw new AppError('WAREHOUSE_UNKNOWN', 'The warehouse returned no plan for this statement.');
  return { unit: 'planner_cost', amount: Number(cost), rows: Number(rows) };
}
