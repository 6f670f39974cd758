// Queries by the emulator, which differs from BigQuery in what is mended here: it knows default datasets only where it answers
// at once, every error of it has the same reason, and its dry runs tell nothing.
import type { QueryAnswer, QueryEngine, QueryRequest, WireCall, WireError, WireField, WireRow } from './jobs-api.ts';

interface EmulatorAnswer {
  readonly jobReference?: { readonly jobId: string };
  readonly schema?: { readonly fields?: readonly WireField[] };
  readonly rows?: readonly WireRow[];
  readonly error?: { readonly message: string; readonly code: number };
}

/** `staging`: the dataset that this engine has in place of the one for temporary data, which all of a project share. */
export function emulatorEngine(origin: string, staging: string): QueryEngine {
  const base = `${origin}/bigquery/v2/projects/test`;
  const qualify = qualifier();
  const narrow = new Set<string>();
  const run = async (request: QueryRequest, signal?: AbortSignal): Promise<QueryAnswer> => {
    const query = qualify(request).replaceAll('penstock.', `${staging}.`);
    const body = JSON.stringify({
      ...request,
      query,
      formatOptions: { useInt64Timestamp: true },
      parameterMode: 'NAMED',
    });
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${base}/queries`, { method: 'POST', headers, body, ...(signal ? { signal } : {}) });
    const answer = (await response.json()) as EmulatorAnswer;
    // it keeps every job with its rows, and looks at all of them for each call
    if (answer.jobReference !== undefined)
      await fetch(`${base}/jobs/${answer.jobReference.jobId}/delete`, { method: 'DELETE' });
    if (answer.error !== undefined) throw failureOf(answer.error.message);
    return { fields: answer.schema?.fields ?? [], rows: answer.rows ?? [] };
  };
  return {
    async run(request, signal) {
      requireRoom(request, narrow);
      const counted = countSql(request.query);
      const found = counted === undefined ? undefined : await run({ ...request, query: counted }, signal);
      const answer = await run(request, signal);
      return found === undefined ? answer : { ...answer, affectedRows: Number(found.rows.slice(0, 1)[0]?.f[0]?.v) };
    },
    async describe(request) {
      const statementType = typeOf(request.query);
      if (statementType !== 'SELECT') return { fields: [], statementType };
      // nothing is computed for no rows: the emulator only looks at the statement
      const { fields } = await run({ ...request, query: `SELECT * FROM (\n${request.query}\n) WHERE FALSE LIMIT 0` });
      return { fields, statementType };
    },
    other: ({ path, body, ...call }) => {
      const renamed = { path: path.replace('/datasets/penstock/', `/datasets/${staging}/`) };
      return forward(base, {
        ...call,
        ...renamed,
        body: body.replace('"datasetId":"penstock"', `"datasetId":"${staging}"`),
      });
    },
  };
}

/**
 * A table without its dataset is the first of that name to the emulator, whichever dataset it lies in: names that this engine
 * has seen made are written out.
 */
function qualifier(): (request: QueryRequest) => string {
  const names = new Set<string>();
  return ({ query, defaultDataset }) => {
    const [, made] = /^CREATE TABLE (`(?:[^`\\]|\\.)+`|\w+) \(/.exec(query) ?? [];
    if (made !== undefined) names.add(made);
    const place = /\b(FROM|JOIN|INTO|TABLE|UPDATE|USING) (`(?:[^`\\]|\\.)+`|\w+)(?![\w.`])/g;
    return query.replace(place, (all, word: string, name: string) =>
      names.has(name) && defaultDataset !== undefined ? `${word} ${defaultDataset.datasetId}.${name}` : all,
    );
  };
}

/** It takes numbers of any size for a column that holds nine digits. */
function requireRoom({ query }: QueryRequest, narrow: Set<string>): void {
  const [, verb, table = ''] = /^(CREATE TABLE|MERGE INTO) (\w+)/.exec(query) ?? [];
  if (verb === 'CREATE TABLE' && query.includes('NUMERIC(9, 0)')) narrow.add(table);
  if (verb !== 'MERGE INTO' || !narrow.has(table)) return;
  const message = 'Numeric overflow: value has 19 digits, 9 are allowed';
  throw { status: 400, reason: 'invalidQuery', message } satisfies WireError;
}

/** How many rows a statement of ours will change: the emulator says nothing of it. */
function countSql(sql: string): string | undefined {
  const merge = /^MERGE INTO (.+?) AS t USING (.+?) AS s\s+ON (.+)\s+WHEN MATCHED THEN UPDATE SET .+$/s.exec(sql);
  if (merge !== null) return `SELECT COUNT(*) AS n FROM ${merge[1]} AS t JOIN ${merge[2]} AS s ON ${merge[3]}`;
  const update = /^UPDATE (.+?) SET .+? WHERE (.+)$/s.exec(sql);
  if (update !== null) return `SELECT COUNT(*) AS n FROM ${update[1]} WHERE ${update[2]}`;
  const removal = /^DELETE FROM (.+)$/s.exec(sql);
  if (removal !== null) return `SELECT COUNT(*) AS n FROM ${removal[1]}`;
  const [, rows] = /^INSERT INTO .+?\) (SELECT .+)$/s.exec(sql) ?? [];
  return rows === undefined ? undefined : `SELECT COUNT(*) AS n FROM (${rows})`;
}

function typeOf(sql: string): string {
  const [, first = ''] = /^[\s(]*(\w+)/.exec(sql) ?? [];
  const word = first.toUpperCase();
  return word === 'SELECT' || word === 'WITH' ? 'SELECT' : word === 'CREATE' ? 'CREATE_TABLE' : word;
}

async function forward(base: string, { method, path, query, body }: WireCall) {
  const response = await fetch(`${base}${path}?${query}`, {
    method,
    headers: { 'content-type': 'application/json' },
    ...(body === '' ? {} : { body }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? {} : (JSON.parse(text) as unknown) };
}

/** Its texts are GoogleSQL's, with words before them and a place written a little differently. */
function failureOf(text: string): WireError {
  const message = text
    .replace(/^failed to (?:analyze|parse statements|scan rows|query): /, '')
    .replace(/^failed to parse statement: /, '')
    .replace(/^INVALID_ARGUMENT: /, '')
    .replace(/ \[at (\d+:\d+)\]$/, ' at [$1]')
    .replace(/^zero divided error.*/, 'division by zero: 1 / 0');
  const missing = /^Table not found: (\S+)/.exec(message);
  if (missing !== null)
    return { status: 404, reason: 'notFound', message: `Not found: Table test:${missing[1]} was not found` };
  return { status: 400, reason: 'invalidQuery', message };
}
