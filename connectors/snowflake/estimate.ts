import { AppError, isRawNumber, type Json, parseJson } from '../../src/kernel/index.ts';
import type { CostEstimate, Statement } from '../../src/warehouse/index.ts';
import { fewRows } from './few-rows.ts';
import { bindSql } from './link/bind.ts';
import type { Link } from './link/link.ts';
import { explainSql } from './statements.ts';

/** Estimates the bytes of the micro-partitions that the plan reads. Nothing runs, and no warehouse is resumed. */
export async function estimate(link: Link, statement: Statement, signal: AbortSignal): Promise<CostEstimate> {
  const { text, values } = bindSql(statement);
  const [[plan] = []] = await fewRows(link, { text: explainSql(text), values }, { signal });
  const amount = typeof plan === 'string' ? bytesOf(plan) : undefined;
  if (amount === undefined)
    throw new AppError('WAREHOUSE_UNKNOWN', 'The warehouse returned no plan for this statement.');
  return { unit: 'bytes', amount };
}

/** Reads `{"GlobalStats":{"partitionsTotal":2,"partitionsAssigned":2,"bytesAssigned":1024},"Operations":[…]}`. */
function bytesOf(plan: string): number | undefined {
  const stats = fieldOf(parsed(plan), 'GlobalStats');
  const bytes = fieldOf(stats, 'bytesAssigned');
  const amount = isRawNumber(bytes) ? Number(bytes.rawJSON) : bytes;
  // a plan without tables has no partitions
  return stats === undefined
    ? undefined
    : typeof amount === 'bigint'
      ? Number(amount)
      : typeof amount === 'number'
        ? amount
        : 0;
}

function parsed(text: string): Json | undefined {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

function fieldOf(value: Json | undefined, name: string): Json | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isRawNumber(value)) return undefined;
  return (value as Readonly<Record<string, Json>>)[name];
}
