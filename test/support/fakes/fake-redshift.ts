// The part of Redshift that a connector meets: one cursor a session, no limit of rows at Execute, no parameters, its own
// settings.
import type { FakeColumn, FrontendMessage } from './fake-postgres.ts';
import { type FakePostgres, openFakePostgres, says } from './fake-postgres.ts';

export const VERSION = 'PostgreSQL 8.0.2 on i686-pc-linux-gnu, compiled by GCC gcc (GCC) 3.4.2, Redshift 1.0.61678';
const SETTINGS = /^SET (client_encoding|timezone|datestyle|extra_float_digits|statement_timeout|query_group) TO /;
/** Rows that a cluster of a single node lets a FETCH ask for. */
const MOST_ROWS = 1000;
const DECLARE = 'DECLARE penstock_rows CURSOR FOR SELECT';
const FETCH = /^FETCH FORWARD (\d+) FROM penstock_rows$/;
export const COLUMNS: readonly FakeColumn[] = [
  { name: 'n', type: 20 },
  { name: 'doc', type: 4000 },
  { name: 'raw', type: 6551 },
];

/** The step that fails, and with what. */
export interface FailingStep {
  readonly during: 'sign-in' | 'statement' | 'fetch';
  readonly error: Buffer;
}

export interface FakeRedshiftOptions {
  readonly fails?: FailingStep;
  /** Nodes of the cluster; default: one. */
  readonly nodes?: number;
  /** Asks for a password, and tells whether it lets this one in. */
  readonly lets?: (user: string, password: string) => boolean;
}

/** A table of `rows` rows, whatever is selected; its clock shows 2026-01-02 03:04:05.678901. */
export function openFakeRedshift(rows: number, options: FakeRedshiftOptions = {}): Promise<FakePostgres> {
  let parsed = '';
  let at = 0;
  let hasFailed = false;
  const { fails, nodes = 1 } = options;
  const signIn = signingIn(options);
  return openFakePostgres((message) => {
    const answer = signIn(message);
    if (answer !== undefined) return answer;
    if (message.type === 'Q') return [...statements(message.text.split('; ')), says.ready()];
    if (message.type === 'P') parsed = message.text;
    return extended(message);
  });

  /** Answers statements up to the first that fails. After it, its transaction takes nothing but its end. */
  function statements(texts: readonly string[]): Buffer[] {
    const answers: Buffer[] = [];
    for (const text of texts) {
      if (text === 'ROLLBACK') hasFailed = false;
      const found = hasFailed
        ? [says.error('25P02', 'current transaction is aborted')]
        : (probed(text) ?? simple(text));
      answers.push(...found);
      hasFailed = found.some((answer) => answer.toString('latin1', 0, 1) === 'E');
      if (hasFailed) break;
    }
    return answers;
  }

  /** Answers the statements that ask for the limit of FETCH, and returns undefined for others. */
  function probed(text: string): Buffer[] | undefined {
    if (text === `${DECLARE} 1`) return [says.complete('DECLARE CURSOR')];
    const wanted = Number(FETCH.exec(text)?.[1]);
    if (Number.isNaN(wanted)) return undefined;
    return refusal(wanted) ?? [says.columns([{ name: 'x', type: 23 }]), says.row(['1']), says.complete('FETCH')];
  }

  function refusal(wanted: number): Buffer[] | undefined {
    if (nodes > 1 || wanted <= MOST_ROWS) return undefined;
    const limit = `Fetch size ${wanted} exceeds the limit of ${MOST_ROWS} for a single node configuration. `;
    return [says.error('XX000', `${limit}Reduce the client fetch/cache size or upgrade to a multi node installation.`)];
  }

  function extended({ type, count }: FrontendMessage): Buffer[] {
    switch (type) {
      case 'P':
        return [says.parsed()];
      case 'D':
        return [says.parameters(), parsed.startsWith('SELECT') ? says.columns(COLUMNS) : says.noData()];
      case 'B':
        return [count === 0 ? says.bound() : says.error('0A000', 'no parameters here')];
      case 'E':
        return count === 0 ? execute(parsed) : [says.error('0A000', 'no limit of rows here')];
      case 'S':
        return [says.ready()];
      default:
        return [];
    }
  }

  function execute(sql: string): Buffer[] {
    if (sql.startsWith(DECLARE)) {
      at = 0;
      if (fails?.during === 'statement') return [fails.error];
      return [says.complete('DECLARE CURSOR')];
    }
    if (sql.startsWith('EXPLAIN')) {
      return [says.row([`XN Seq Scan on t  (cost=0.00..12.50 rows=${rows} width=8)`]), says.complete('EXPLAIN')];
    }
    const [, wanted] = FETCH.exec(sql) ?? [];
    if (wanted !== undefined) return fetch(Number(wanted));
    return [sql.startsWith('CLOSE') ? says.complete('CLOSE') : says.error('42601', sql)];
  }

  function fetch(wanted: number): Buffer[] {
    if (fails?.during === 'fetch') return [fails.error];
    const refused = refusal(wanted);
    if (refused !== undefined) return refused;
    const cells = Array.from({ length: Math.min(wanted, rows - at) }, () => [String(at++), '{"a":1}', '00ff']);
    return [...cells.map(says.row), says.complete(`FETCH ${cells.length}`)];
  }
}

const WELCOME = [says.authentication(0), says.keys(), says.ready()];

/** Answers the messages of a sign-in, and returns undefined for all others. */
function signingIn({ fails, lets }: FakeRedshiftOptions): (message: FrontendMessage) => Buffer[] | undefined {
  let user = '';
  return ({ type, text }) => {
    if (type === 'p') return lets?.(user, text) === true ? WELCOME : [says.error('28000', `no entry for "${user}"`)];
    if (type !== 'startup') return undefined;
    if (fails?.during === 'sign-in') return [fails.error];
    user = /\buser (\S+)/.exec(text)?.[1] ?? '';
    return lets === undefined ? WELCOME : [says.authentication(3)];
  };
}

const ANSWERS: Readonly<Record<string, readonly string[]>> = {
  'SELECT version()': [VERSION],
  'SELECT current_user': ['alice'],
  'SELECT SYSDATE': ['2026-01-02 03:04:05.678901'],
};

/** Answers one statement of the simple protocol. */
function simple(sql: string): Buffer[] {
  const cells = ANSWERS[sql] ?? (sql.includes('has_table_privilege') ? ['3', '2', '1', 'public'] : undefined);
  if (cells !== undefined)
    return [says.columns(cells.map(() => ({ name: 'x', type: 25 }))), says.row(cells), says.complete('SELECT 1')];
  if (sql.includes('usesuper')) return [says.columns([{ name: 'case', type: 25 }]), says.complete('SELECT')];
  if (SETTINGS.test(sql) || /^(BEGIN READ ONLY|ROLLBACK)$/.test(sql)) return [says.complete(sql.split(' ')[0] ?? '')];
  return [says.error('42601', `syntax error at or near "${sql}"`)];
}
