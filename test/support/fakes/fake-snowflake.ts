// The part of Snowflake's REST protocol that the SDK meets: signing in, statements, parts of results behind links, cancelling,
// renewing and ending a session. It computes nothing: a test says what it answers.
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';

export type FakeRow = readonly (string | null)[];

export interface FakeColumn {
  readonly name: string;
  /** As the protocol calls it: `fixed`, `text`, `timestamp_ltz` … */
  readonly type: string;
  readonly precision?: number;
  readonly scale?: number;
}

export interface FakeResult {
  readonly columns: readonly FakeColumn[];
  readonly rows: readonly FakeRow[];
  /** Rows of a part; the first comes with the answer. Default: all. */
  readonly partRows?: number;
  /** Uncompressed bytes that the answer announces for each part behind a link. Default: 1. */
  readonly partBytes?: number;
  /** Where the links of the parts lead; default: here. */
  readonly partsAt?: string;
}

export interface FakeRefusal {
  readonly code: string;
  readonly message: string;
  readonly sqlState?: string;
}

/** An answer that is sent as it is. */
export interface FakeAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** A body that is no text is sent as JSON. */
  readonly body: unknown;
}

export interface FakeStatement {
  readonly sqlText: string;
  readonly describeOnly?: boolean;
  readonly bindings?: Readonly<Record<string, { readonly type: string; readonly value: string }>>;
  readonly parameters?: Readonly<Record<string, string>>;
  readonly requestId: string;
}

export interface FakeSignIn {
  readonly data: Readonly<Record<string, unknown>>;
  readonly query: Readonly<Record<string, string>>;
}

export interface FakeBehaviour {
  /** Default: everybody is let in. */
  readonly signIn?: (request: FakeSignIn) => FakeRefusal | FakeAnswer | undefined;
  /** Default: one row of one integer. May wait, and answer `hang` for ever. */
  readonly answer?: (
    statement: FakeStatement,
  ) => FakeResult | FakeRefusal | FakeAnswer | Promise<FakeResult | FakeRefusal> | undefined;
  /** Parameters of the session, as answers say; default: an account with formats of its own. */
  readonly parameters?: readonly { readonly name: string; readonly value: string }[];
  /** What the session works with, as answers say. */
  readonly uses?: { readonly finalWarehouseName?: string | null; readonly finalDatabaseName?: string | null };
}

export interface FakeSnowflake extends AsyncDisposable {
  readonly port: number;
  readonly signIns: readonly FakeSignIn[];
  /** But for the one that pins a session. */
  readonly statements: readonly FakeStatement[];
  /** Those that pin a session. */
  readonly pins: readonly FakeStatement[];
  /** Request ids of statements that were to be cancelled. */
  readonly cancelled: readonly string[];
  /** How often a part was asked for. */
  readonly partsAsked: () => number;
  readonly renewals: () => number;
  readonly openSessions: () => number;
  /** The session tokens that are out are not taken any more; `gone`: and cannot be renewed. */
  expire(gone?: boolean): void;
}

const ONE: FakeResult = { columns: [{ name: 'ONE', type: 'fixed', scale: 0 }], rows: [['1']] };

export async function openFakeSnowflake(behaviour: FakeBehaviour = {}): Promise<FakeSnowflake> {
  const signIns: FakeSignIn[] = [];
  const statements: FakeStatement[] = [];
  const pins: FakeStatement[] = [];
  const cancelled: string[] = [];
  const parts = new Map<string, string>();
  const links = new Map<FakeResult, { readonly path: string; readonly rowCount: number }[]>();
  const sessions = new Map<string, 'open' | 'expired' | 'gone'>();
  let tokens = 0;
  let partsAsked = 0;
  let renewals = 0;

  const newToken = () => {
    tokens += 1;
    sessions.set(`token-${tokens}`, 'open');
    return `token-${tokens}`;
  };
  const respond = async (incoming: IncomingMessage, response: ServerResponse) => {
    const { pathname, searchParams } = new URL(incoming.url ?? '', 'http://fake');
    const body = await bodyOf(incoming);
    if (pathname.startsWith('/part/')) return part(pathname, response);
    const query = Object.fromEntries(searchParams);
    const answer = withoutSession(pathname, body, query) ?? (await inSession(pathname, body, incoming));
    send(response, answer);
  };
  const inSession = async (path: string, body: unknown, { headers, url = '' }: IncomingMessage) => {
    const token = /Token="(.*)"/.exec(headers.authorization ?? '')?.[1] ?? '';
    const refusal = refusalOf(sessions.get(token));
    if (refusal !== undefined) return refusal;
    if (path === '/queries/v1/query-request') {
      const requestId = new URL(url, 'http://fake').searchParams.get('requestId') ?? '';
      return await run({ ...(body as FakeStatement), requestId }, String(headers.host));
    }
    if (path === '/session') sessions.delete(token);
    // the body of a cancel names the request it means
    else cancelled.push((body as FakeStatement).requestId);
    return good(null);
  };
  const withoutSession = (path: string, body: unknown, query: FakeSignIn['query']) => {
    if (path === '/session/v1/login-request') return signIn({ ...(body as FakeSignIn), query });
    if (path === '/session/token-request') return renew(body as { oldSessionToken: string });
    return path === '/telemetry/send' || path === '/session/heartbeat' ? good(null) : undefined;
  };
  const signIn = (request: FakeSignIn) => {
    signIns.push(request);
    const refusal = behaviour.signIn?.(request);
    if (refusal !== undefined) return 'code' in refusal ? bad(refusal) : refusal;
    return good({
      token: newToken(),
      masterToken: 'master',
      validityInSeconds: 3600,
      masterValidityInSeconds: 14_400,
      parameters: [],
    });
  };
  const renew = ({ oldSessionToken }: { readonly oldSessionToken: string }) => {
    renewals += 1;
    if (sessions.get(oldSessionToken) !== 'expired')
      return bad({ code: '390114', message: 'Authentication token has expired.' });
    sessions.delete(oldSessionToken);
    return good({
      sessionToken: newToken(),
      masterToken: 'master',
      validityInSecondsST: 3600,
      validityInSecondsMT: 14_400,
    });
  };
  const run = async (statement: FakeStatement, host: string) => {
    const isPin = statement.sqlText.startsWith('ALTER SESSION');
    (isPin ? pins : statements).push(statement);
    const answer = isPin ? ONE : ((await behaviour.answer?.(statement)) ?? ONE);
    if ('status' in answer) return answer;
    return 'code' in answer ? bad(answer) : answered(answer, statement, host);
  };
  /** The same result has the same parts, whoever asks for it. */
  const linksOf = (result: FakeResult, host: string) => {
    const { rows, partRows = rows.length, partsAt = `http://${host}` } = result;
    const made = links.get(result) ?? [];
    for (let at = partRows * (1 + made.length); at < rows.length; at += partRows) {
      const piece = rows.slice(at, at + partRows);
      const path = `/part/${parts.size}`;
      parts.set(path, JSON.stringify(piece).slice(1, -1));
      made.push({ path, rowCount: piece.length });
    }
    links.set(result, made);
    const sizes = { uncompressedSize: result.partBytes ?? 1, compressedSize: 1 };
    return made.map(({ path, rowCount }) => ({ url: `${partsAt}${path}`, rowCount, ...sizes }));
  };
  const answered = (result: FakeResult, { describeOnly = false }: FakeStatement, host: string) => {
    const { columns, rows, partRows = rows.length } = result;
    const chunks = describeOnly ? [] : linksOf(result, host);
    const count = describeOnly ? 0 : rows.length;
    return good({
      ...{ queryId: `query-${statements.length}`, queryResultFormat: 'json', version: 1 },
      parameters: behaviour.parameters ?? PARAMETERS,
      rowtype: columns.map((column) => ({ nullable: true, precision: 38, ...column })),
      ...{ rowset: describeOnly ? [] : rows.slice(0, partRows), returned: count, total: count, statementTypeId: 4096 },
      ...{ finalWarehouseName: 'WH', finalDatabaseName: 'SHOP', finalRoleName: 'READER', ...behaviour.uses },
      ...(chunks.length === 0 ? {} : { chunks, chunkHeaders: {} }),
    });
  };
  const part = (path: string, response: ServerResponse) => {
    partsAsked += 1;
    const text = parts.get(path);
    response.writeHead(text === undefined ? 404 : 200, { 'content-type': 'text/plain' }).end(text);
  };
  const server = createServer((incoming, response) => {
    respond(incoming, response).catch(() => incoming.socket.resetAndDestroy());
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    ...{ signIns, statements, pins, cancelled },
    partsAsked: () => partsAsked,
    renewals: () => renewals,
    openSessions: () => sessions.size,
    expire(gone = false) {
      for (const token of sessions.keys()) sessions.set(token, gone ? 'gone' : 'expired');
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function send(response: ServerResponse, { status, headers, body }: FakeAnswer): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}

const PARAMETERS = [
  { name: 'TIMEZONE', value: 'America/Los_Angeles' },
  { name: 'BINARY_OUTPUT_FORMAT', value: 'HEX' },
  { name: 'DATE_OUTPUT_FORMAT', value: 'DD.MM.YY' },
  { name: 'TIMESTAMP_OUTPUT_FORMAT', value: 'DY, DD MON YYYY HH24:MI' },
];

function refusalOf(state: string | undefined): FakeAnswer | undefined {
  if (state === 'expired') return bad({ code: '390112', message: 'Your session has expired.' });
  return state === 'open' ? undefined : bad({ code: '390111', message: 'Session no longer exists.' });
}

function good(data: unknown): FakeAnswer {
  return { status: 200, body: { success: true, code: null, message: null, data } };
}

function bad({ code, message, sqlState }: FakeRefusal): FakeAnswer {
  const data = { errorCode: code, sqlState, queryId: 'query-x' };
  return { status: 200, body: { success: false, code, message, data } };
}

async function bodyOf(incoming: IncomingMessage): Promise<unknown> {
  const pieces: Buffer[] = [];
  for await (const piece of incoming as AsyncIterable<Buffer>) pieces.push(piece);
  const whole = Buffer.concat(pieces);
  if (whole.length === 0) return {};
  return JSON.parse((incoming.headers['content-encoding'] === 'gzip' ? gunzipSync(whole) : whole).toString());
}
