// A Redshift that takes every statement of a write-back, except one of them where a test says so.
import { type FakePostgres, openFakePostgres, says } from './fake-postgres.ts';
import { VERSION } from './fake-redshift.ts';

/** The statement of the simple protocol that fails: the first one that holds the text. */
export interface FailingStatement {
  readonly holds: string;
  readonly error: Buffer;
}

const OF_MESSAGES: Readonly<Record<string, () => readonly Buffer[]>> = {
  startup: () => [says.authentication(0), says.keys(), says.ready()],
  P: () => [says.parsed()],
  B: () => [says.bound()],
  E: () => [says.complete('INSERT 0 2')],
  S: () => [says.ready()],
};

export function openTakingRedshift(failing?: FailingStatement): Promise<FakePostgres> {
  return openFakePostgres(({ type, text }) => {
    if (type !== 'Q') return OF_MESSAGES[type]?.() ?? [];
    const fails = failing !== undefined && text.includes(failing.holds);
    return [...(fails ? [failing.error] : accept(text)), says.ready()];
  });
}

/** Accepts one statement of the simple protocol. Each UPDATE changes three rows, and nothing is a conflict. */
function accept(sql: string): readonly Buffer[] {
  if (sql === 'SELECT version()') return answer('version', VERSION);
  if (sql.includes('count(*) OVER')) return answer('k0');
  if (sql.startsWith('SELECT count(*) AS loaded')) return answer('loaded', '2');
  return sql
    .split('; ')
    .map((part) => says.complete(part.startsWith('UPDATE') ? 'UPDATE 3' : (part.split(' ')[0] ?? '')));
}

function answer(name: string, ...cells: readonly string[]): readonly Buffer[] {
  return [
    says.columns([{ name, type: 25 }]),
    ...cells.map((cell) => says.row([cell])),
    says.complete(`SELECT ${cells.length}`),
  ];
}
