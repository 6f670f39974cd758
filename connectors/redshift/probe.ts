// Stages of a connection test; a failed stage reports what is missing.
import { AppError } from '../../src/kernel/index.ts';
import type { ProbeStage } from '../../src/warehouse/index.ts';
import { takeStages } from '../_shared/take-stages.ts';
import { classify } from './errors.ts';
import type { ConnectDeps } from './link/connect.ts';
import { dial } from './link/dial.ts';
import type { Link } from './link/link.ts';
import { hasNoTls } from './link/tls.ts';
import { type Way, waysOf } from './link/ways.ts';
import { withinLimit } from './link/within-limit.ts';
import { STATEMENTS } from './statements.ts';

/** Probes the connection stage by stage. `link` signs in, or returns the session's own. */
export async function probe(
  deps: ConnectDeps,
  link: () => Promise<Link>,
  signal: AbortSignal,
): Promise<readonly ProbeStage[]> {
  const { database } = deps.config;
  let way: Way = { server: '', address: '', port: 0, attempts: [] };
  let user = '';
  let grants: Grants = { tables: 0, usable: 0, readable: 0, schema: '' };
  return await takeStages(
    [
      {
        name: 'reach',
        passed: 'The server accepts connections.',
        take: async () => {
          way = await reach(deps, signal);
        },
      },
      { name: 'tls', passed: 'The connection is encrypted.', take: () => encrypt(way, signal) },
      {
        name: 'sign_in',
        passed: '',
        take: async () => {
          const { product, run } = await link();
          // the credentials of AWS name a user that has a prefix, which the database's grants do not have
          user = deps.config.user ?? (await run('SELECT current_user'))[0]?.[0] ?? '';
          return `${user} may sign in to ${database}; the server is ${product}.`;
        },
      },
      {
        name: 'use_objects',
        passed: 'The schemas can be used.',
        take: async () => {
          grants = await readGrants(await link());
          requireUse(grants, user);
        },
      },
      {
        name: 'read',
        passed: '',
        take: async () => `${requireRead(grants, user)}${await warnOfPowers(await link(), user)}`,
      },
    ],
    { classify, signal },
  );
}

/** Returns the first way on which a server accepts connections. Throws WAREHOUSE_UNREACHABLE where none did in time. */
function reach(deps: ConnectDeps, signal: AbortSignal): Promise<Way> {
  return withinLimit(deps, signal, async (attempt) => {
    let failure: unknown;
    for (const way of await attempt.wait(waysOf({ ...deps, network: deps.environment.network }))) {
      attempt.begin(way.server);
      try {
        (await dial({ ...way, tls: undefined }, attempt.signal)).destroy();
        return way;
      } catch (refused) {
        failure = refused;
      }
    }
    throw failure;
  });
}

async function encrypt({ attempts, ...place }: Way, signal: AbortSignal): Promise<string | undefined> {
  for (const tls of attempts) {
    if (tls === undefined)
      return 'The connection is not encrypted, because config.sslmode allows it or the server is on this machine.';
    try {
      (await dial({ ...place, tls }, signal)).destroy();
      return undefined;
    } catch (failure) {
      if (!hasNoTls(failure) || attempts.length === 1) throw failure;
    }
  }
  return undefined;
}

interface Grants {
  readonly tables: number;
  readonly usable: number;
  readonly readable: number;
  readonly schema: string;
}

async function readGrants(link: Link): Promise<Grants> {
  const [[tables, usable, readable, schema] = []] = await link.run(STATEMENTS[link.product].grants);
  return { tables: Number(tables), usable: Number(usable), readable: Number(readable), schema: schema ?? '' };
}

/** Throws where the user may use no schema with tables. Accepts a database without any table: tables may come. */
function requireUse({ tables, usable, schema }: Grants, user: string): void {
  if (tables === 0 || usable > 0) return;
  throw missing(
    `${user} cannot use any schema with tables. It needs GRANT USAGE ON SCHEMA ${quote(schema)} TO ${quote(user)}.`,
  );
}

function requireRead({ tables, readable, schema }: Grants, user: string): string {
  if (tables === 0) return 'There is no table yet.';
  if (readable > 0) return `${readable} of ${tables} tables and views can be read.`;
  throw missing(
    `${user} cannot read any table. It needs GRANT SELECT ON ALL TABLES IN SCHEMA ${quote(schema)} TO ${quote(user)}, or on the tables that models name.`,
  );
}

/** Warns of powers of the user that no transaction and no grant would keep a model from using. */
async function warnOfPowers(link: Link, user: string): Promise<string> {
  const powers = (await link.run(STATEMENTS[link.product].powers)).flatMap(([power]) => power ?? []);
  if (powers.length === 0) return '';
  return ` ${user} may do more than read (${powers.join(', ')}); sign in as a user that has USAGE and SELECT only.`;
}

function quote(name: string): string {
  return /^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}

function missing(message: string): AppError {
  return new AppError('WAREHOUSE_PERMISSION', message);
}
