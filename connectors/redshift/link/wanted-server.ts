// `target_session_attrs`: which of several hosts a connection accepts, as libpq means it.
import type pg from 'pg';
import { AppError, field, say } from '../../../src/kernel/index.ts';
import { fieldOf } from '../../_shared/field-of.ts';
import { type RedshiftConfig, targetsOf } from '../config.ts';
import type { RawRow } from '../sdk.ts';
import { SESSION_ATTRIBUTES, type SessionAttributes } from '../session-attributes.ts';
import type { Access } from '../statements.ts';

/** Kind of server that one round over the hosts accepts. */
export type Wanted = Exclude<SessionAttributes, 'prefer-standby'>;

/**
 * Returns the rounds over the hosts: `prefer-standby` takes any host where no standby answers. What writes goes to a host that
 * takes writes, if there are several to choose from.
 */
export function roundsOf(config: RedshiftConfig, access: Access): readonly Wanted[] {
  const given = SESSION_ATTRIBUTES.find((name) => name === config.target_session_attrs);
  if (access === 'write' && (given !== undefined || targetsOf(config).length > 1)) return ['read-write'];
  return given === 'prefer-standby' ? ['standby', 'any'] : [given ?? 'any'];
}

/** Role of a server: whether it is a standby, and whether its transactions only read unless they say otherwise. */
export const ROLE_SQL = "SELECT pg_catalog.pg_is_in_recovery(), pg_catalog.current_setting('transaction_read_only')";

const NO_SUCH_FUNCTION = '42883';

/** Tells whether the server is one that this round accepts. Throws WAREHOUSE_CONFIG for Redshift, which has no standbys. */
export async function isWanted(client: pg.Client, wanted: Wanted): Promise<boolean> {
  if (wanted === 'any') return true;
  const { rows } = await client.query<RawRow>({ text: ROLE_SQL, rowMode: 'array' }).catch((cause: unknown) => {
    if (fieldOf(cause, 'code') !== NO_SUCH_FUNCTION) throw cause;
    const words = say`${field('config.target_session_attrs')} is for PostgreSQL, but the server is none; leave it out.`;
    throw new AppError('WAREHOUSE_CONFIG', words, { cause });
  });
  const [[recovering, readOnly] = []] = rows;
  const isStandby = recovering === 't';
  const accepted: Readonly<Record<Wanted, boolean>> = {
    any: true,
    'read-write': readOnly === 'off',
    'read-only': readOnly === 'on',
    primary: !isStandby,
    standby: isStandby,
  };
  return accepted[wanted];
}

/** Returns the failure of a round that met only servers of another kind. It is tried again: a failover may be under way. */
export function noHostFits(wanted: Wanted): AppError {
  const words = say`No server of ${field('config.host')} is what ${field('config.target_session_attrs')} asks for: ${wanted}.`;
  return new AppError('WAREHOUSE_UNREACHABLE', words);
}
