// Queries by the emulator, which differs from BigQuery in what is mended here: it knows default datasets only where it answers
// at once, every error of it has the same reason, and its dry runs tell nothing.
import type { QueryAnswer, QueryEngine, QueryRequest, WireCall, WireError, WireField, WireRow } from './jobs-api.ts';

interface EmulatorAnswer {
  readonly jobReference?: { readonly jobId: string };
  readonly schema?: { readonly fields?: readonly WireField[] };
  readonly rows?: readonly WireRow[];
  readonly error?: { readonly message: string; readonly code: number };
}

export function emulatorEngine(origin: string): QueryEngine {
  const base = `${origin}/bigquery/v2/projects/test`;
  const run = async (request: QueryRequest, signal?: AbortSignal): Promise<QueryAnswer> => {
    const body = JSON.stringify({ ...request, formatOptions: { useInt64Timestamp: true }, parameterMode: 'NAMED' });
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
    run,
    async describe(request) {
      const statementType = typeOf(request.query);
      if (statementType !== 'SELECT') return { fields: [], statementType };
      // nothing is computed for no rows: the emulator only looks at the statement
      const { fields } = await run({ ...request, query: `SELECT * FROM (\n${request.query}\n) WHERE FALSE LIMIT 0` });
      return { fields, statementType };
    },
    other: (call) => forward(base, call),
  };
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
