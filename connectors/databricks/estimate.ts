import { AppError } from '../../src/kernel/index.ts';
import type { CostEstimate, Statement } from '../../src/warehouse/index.ts';
import { RefusedCall } from './link.ts';
import { fetchTexts } from './rows/fetch-texts.ts';
import type { ServerSession } from './server-session.ts';
import { explainSql } from './statements.ts';

const LINE =
  /^([\s:|+-]*)[^\s:|+-].*Statistics\(sizeInBytes=([\d.]+)(?:E\+?(\d+))? (B|[KMGTPE]iB)(?:, rowCount=([\d.]+(?:E\+?\d+)?))?/;
const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];

/** Estimates the bytes that the statement reads: those of the plan's leaves, as the optimiser expects them. Nothing runs. */
export async function estimate(
  session: ServerSession,
  statement: Statement,
  signal: AbortSignal,
): Promise<CostEstimate> {
  const [[plan] = []] = await fetchTexts(session, explainSql(statement), signal);
  return estimateOf(plan ?? '');
}

/**
 * Reads the estimate from the optimised plan, a tree with one line for each node and deeper nodes further right.
 * A failure replaces the plan.
 */
export function estimateOf(plan: string): CostEstimate {
  const [logical = ''] = plan.split('== Physical Plan ==');
  const nodes = logical.split('\n').flatMap((line) => {
    const [, indent = '', size = '0', exponent = '0', unit = 'B', rows] = LINE.exec(line) ?? [];
    if (indent === '' && size === '0') return [];
    const bytes = Number(`${size}E${exponent}`) * 1024 ** UNITS.indexOf(unit);
    return [{ depth: indent.length, bytes, rows: rows === undefined ? undefined : Number(rows) }];
  });
  const [root] = nodes;
  if (root === undefined) throw refusalIn(plan);
  const leaves = nodes.filter(({ depth }, at) => (nodes[at + 1]?.depth ?? 0) <= depth);
  const amount = Math.round(leaves.reduce((sum, { bytes }) => sum + bytes, 0));
  return { unit: 'bytes', amount, ...(root.rows === undefined ? {} : { rows: Math.round(root.rows) }) };
}

function refusalIn(plan: string): Error {
  const [, message] = /(\[[A-Z_.]+\][^\n]*)/.exec(plan) ?? [];
  if (message === undefined)
    return new AppError('WAREHOUSE_UNKNOWN', 'The warehouse returned no plan for this statement.');
  return new RefusedCall('ERROR', message, /SQLSTATE: (\w{5})/.exec(plan)?.[1]);
}
