// Stages of a connection test; a failed stage reports what is missing.
import type { Socket } from 'node:net';
import { AppError, field, say } from '../../src/kernel/index.ts';
import type { ProbeStage } from '../../src/warehouse/index.ts';
import { encrypt } from '../_shared/agents.ts';
import { reach } from '../_shared/reach.ts';
import { takeStages } from '../_shared/take-stages.ts';
import { accessUrlOf, targetOf } from './address.ts';
import { classify } from './errors.ts';
import { fewRows } from './few-rows.ts';
import type { Link, LinkDeps, Usage } from './link/link.ts';
import { nameSql } from './names.ts';
import { VISIBLE_TABLES_SQL } from './statements.ts';

/** Probes the connection stage by stage. `link` signs in, or returns the session's own. */
export async function probe(
  deps: LinkDeps,
  link: () => Promise<Link>,
  signal: AbortSignal,
): Promise<readonly ProbeStage[]> {
  const { config, environment } = deps;
  const url = new URL(accessUrlOf(config, environment));
  return await takeStages(
    [
      {
        name: 'reach',
        passed: `${url.host} accepts connections.`,
        take: async () => void (await dial(deps, url, signal)).destroy(),
      },
      { name: 'tls', passed: 'The connection is encrypted.', take: () => encryptAt(deps, url, signal) },
      {
        name: 'sign_in',
        passed: `${config.user} may sign in to ${config.account_identifier} as ${config.role}.`,
        take: link,
      },
      {
        name: 'use_objects',
        passed: `${config.warehouse} and ${config.database} can be used.`,
        take: async () => requireUse((await link()).usage, config),
      },
      { name: 'read', passed: '', take: async () => requireRead(await link(), deps, signal) },
    ],
    { classify, signal },
  );
}

const DIAL_MS = 5000;

async function dial({ environment }: LinkDeps, url: URL, signal: AbortSignal): Promise<Socket> {
  return await reach(targetOf(url), environment.network, { limitMs: DIAL_MS, signal });
}

async function encryptAt(deps: LinkDeps, url: URL, signal: AbortSignal): Promise<string | undefined> {
  if (url.protocol === 'http:') return 'The connection is not encrypted: PENSTOCK_SNOWFLAKE_ENDPOINT uses http.';
  const socket = await dial(deps, url, signal);
  (await encrypt(socket, targetOf(url).host)).destroy();
  return undefined;
}

/**
 * Throws where the role may not use warehouse or database.
 * Snowflake signs such a user in all the same, and leaves their names empty.
 */
function requireUse({ warehouse, database }: Usage, config: LinkDeps['config']): void {
  if (!isThere(warehouse)) throw missing('warehouse', config);
  if (!isThere(database)) throw missing('database', config);
}

function isThere(used: string | null | undefined): boolean {
  return used !== undefined && used !== null && used !== '';
}

function missing(kind: 'warehouse' | 'database', config: LinkDeps['config']): AppError {
  const [name, role] = [nameSql(config[kind]), nameSql(config.role)];
  return new AppError(
    'WAREHOUSE_PERMISSION',
    say`${config.role} cannot use the ${kind} ${config[kind]}, or it does not exist; check ${field(`config.${kind}`)}. It needs GRANT USAGE ON ${kind.toUpperCase()} ${name} TO ROLE ${role}.`,
  );
}

/**
 * Reports the tables that the role sees, which are those with a grant.
 * Accepts an empty database: tables may come, or be elsewhere.
 */
async function requireRead(link: Link, { config }: LinkDeps, signal: AbortSignal): Promise<string> {
  const [[tables] = []] = await fewRows(link, { text: VISIBLE_TABLES_SQL, values: [] }, { signal });
  if (Number(tables) > 0) return `${config.role} sees ${tables} tables and views in ${config.database}.`;
  const [database, role] = [nameSql(config.database), nameSql(config.role)];
  return `${config.role} sees no table in ${config.database}. If tables exist, it needs GRANT USAGE ON ALL SCHEMAS IN DATABASE ${database} TO ROLE ${role}; GRANT SELECT ON ALL TABLES IN DATABASE ${database} TO ROLE ${role}.`;
}
