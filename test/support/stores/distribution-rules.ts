// The rules that let the store be distributed by workspace, for the text of one statement.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Tables without workspace_id in their key, each with its reason; every other table belongs to a tenant. */
export const REFERENCE_TABLES: Readonly<Record<string, string>> = {
  organisations: 'stand above their workspaces',
  accounts: 'stand above their workspaces',
  workspaces: 'their own id is the workspace_id of all others',
  platform_credentials: 'a token request knows no workspace',
  input_credentials: 'a request with Basic credentials knows no workspace',
  signing_keys: 'tokens are signed for the whole installation',
  dsr_certificates: 'name the installation, whatever the workspace',
  cadences: 'belong to the installation and stay on the coordinator',
  identity_key_mark: 'one row for the installation',
};

// A few statements go over all workspaces and say so in a comment of theirs, `across workspaces: why`. They read, without locks.
const ACROSS = /\/\*\s*across workspaces: [^*]+\*\//;
const WRITES_OR_LOCKS = /\b(insert|update|delete|for\s+(no\s+key\s+)?update|for\s+(key\s+)?share)\b/i;
const VOLATILE =
  /\b(now|random|gen_random_uuid|uuidv7|statement_timestamp|transaction_timestamp|timeofday|nextval)\s*\(|\b(current_timestamp|current_date|localtimestamp)\b/i;
/** The store's clock may be asked what it shows, by a statement that does nothing else. */
const DOES_MORE = /\b(where|insert|update|delete|join)\b/i;
const STORE_CLOCK = /\bclock_timestamp\s*\(/i;
/** The queue's own statements stay on the coordinator and bring their own times. */
const OF_THE_QUEUE = /\bpgboss\b/;

const TENANT_TABLES = tenantTables();
const NAMED = new RegExp(`\\b(from|join|update|into|using|only)\\s+"?(${TENANT_TABLES.join('|')})"?(?![\\w".])`, 'gi');

/** What the statement does that could not be distributed; empty: nothing. */
export function faultsOf(statement: string): string[] {
  if (OF_THE_QUEUE.test(statement)) return [];
  const faults: string[] = [];
  const text = statement.replace(/'(?:[^']|'')*'/g, "''");
  const plain = text.replace(/\/\*.*?\*\//gs, ' ').replace(/--[^\n]*/g, ' ');
  if (VOLATILE.test(plain) || (STORE_CLOCK.test(plain) && DOES_MORE.test(plain)))
    faults.push('times and random values come as parameters');
  if (/^\s*merge\b/i.test(plain)) faults.push('MERGE cannot be distributed');
  if (/pg_(try_)?advisory/i.test(plain)) faults.push('advisory locks hold on one node only');
  if (ACROSS.test(text)) {
    if (WRITES_OR_LOCKS.test(plain)) faults.push('a statement across workspaces only reads, and locks nothing');
  } else {
    faults.push(...withoutWorkspace(plain));
  }
  return faults;
}

const known = new Map<string, readonly string[]>();

/** Refuses, while tests run, what the statements of the source do not show: drizzle's, and those put together. */
export function requireDistributable(statement: string): void {
  const faults = known.get(statement) ?? faultsOf(statement);
  known.set(statement, faults);
  if (faults.length === 0 || isAskedByTest()) return;
  throw new Error(`${faults.join('; ')} (test/support/stores/distribution-rules.ts): ${statement}`);
}

/** A test may look at whatever it likes: the first caller outside the store is in test/. */
export function isAskedByTest(): boolean {
  const caller = callers().find(
    (file) => /\/(src|test)\//.test(file) && !/\/src\/store\/|distribution-rules/.test(file),
  );
  return caller !== undefined && /\/test\//.test(caller);
}

/** Files of the calls that led here, the newest first. As text, with lines looked up in source maps, they cost many times more. */
function callers(): readonly string[] {
  const { prepareStackTrace } = Error;
  Error.prepareStackTrace = (_error, calls) => calls;
  const calls = new Error('where').stack as unknown as readonly NodeJS.CallSite[];
  Error.prepareStackTrace = prepareStackTrace;
  return calls.map((call) => call.getFileName() ?? '');
}

/** An INSERT names the column; for every other mention of a tenant table there is one comparison of its workspace_id. */
function withoutWorkspace(text: string): string[] {
  const mentions = [...text.matchAll(NAMED)];
  const targets = mentions.filter(([, word]) => word?.toLowerCase() === 'into');
  const compared = [...text.matchAll(/workspace_id"?\s*=|=\s*("?\w+"?\.)?"?workspace_id\b/gi)].length;
  if (mentions.length - targets.length > compared) {
    const names = mentions.map(([, , table]) => table).join(', ');
    return [`workspace_id = $n is missing for one of: ${names}`];
  }
  if (targets.length > 0 && !/\(\s*[^)]*\bworkspace_id\b/i.test(text)) return ['the INSERT names no workspace_id'];
  return [];
}

function tenantTables(): string[] {
  const folder = join(import.meta.dirname, '..', '..', '..', 'migrations', 'meta');
  const newest = readdirSync(folder)
    .filter((name) => name.endsWith('_snapshot.json'))
    .sort()
    .at(-1);
  const snapshot = JSON.parse(readFileSync(join(folder, newest ?? ''), 'utf8')) as {
    readonly tables: Readonly<Record<string, { readonly name: string }>>;
  };
  return Object.values(snapshot.tables)
    .map(({ name }) => name)
    .filter((name) => REFERENCE_TABLES[name] === undefined);
}
