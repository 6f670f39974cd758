// A Redshift with UNLOAD and COPY, as its documentation says, in front of a real PostgreSQL that runs the other statements: so
// one query is read both by a cursor and through S3. https://docs.aws.amazon.com/redshift/latest/dg/r_UNLOAD.html
import { gzipSync } from 'node:zlib';
import { Client, type QueryArrayResult } from 'pg';
import { type CopyingOptions, copyFrom } from './copying-redshift.ts';
import { type FakePostgres, type FrontendMessage, openFakePostgres, says } from './fake-postgres.ts';
import { VERSION } from './fake-redshift.ts';
import type { PostgresWarehouse } from './postgres-warehouse.ts';

export interface UnloadingOptions {
  readonly warehouse: PostgresWarehouse;
  /** Writes one object of S3. */
  readonly put: (bucket: string, key: string, body: Uint8Array) => Promise<void>;
  /** Files that rows are spread over. */
  readonly slices?: number;
  /** Changes a file before it is written; undefined leaves it out. */
  readonly spoil?: (key: string, body: Uint8Array) => Uint8Array | undefined;
  /** Error instead of UNLOAD. */
  readonly refuses?: Buffer;
  /** Makes COPY work; without these options there is none. */
  readonly copies?: CopyingOptions;
}

type Cells = (string | null)[];

export function openUnloadingRedshift(options: UnloadingOptions): Promise<FakePostgres> {
  const sessions = new WeakMap<object, { answer: Answering; done: Promise<unknown> }>();
  return openFakePostgres((message, socket) => {
    const session = sessions.get(socket) ?? { answer: answering(options), done: Promise.resolve() };
    if (!sessions.has(socket)) {
      // a session ends with its connection, after the statement under way
      socket.once('close', () => {
        session.done = session.done.then(() => session.answer({ type: 'X', text: '', count: 0 }));
      });
    }
    sessions.set(socket, session);
    session.done = session.done.then(async () => {
      for (const bytes of await session.answer(message)) if (socket.writable) socket.write(bytes);
    });
    return [];
  });
}

type Answering = (message: FrontendMessage) => Promise<readonly Buffer[]>;

function answering(options: UnloadingOptions): Answering {
  const { host, port, database, user, password } = options.warehouse.config;
  const types = { getTypeParser: () => (text: unknown) => text };
  const client = new Client({ host, port: Number(port), database, user, password, types });
  client.on('error', () => undefined);
  let parsed = '';
  let unloaded = 0;

  const ask = async (text: string): Promise<readonly QueryArrayResult<Cells>[]> => {
    const results = (await client.query<Cells>({ text, rowMode: 'array' })) as unknown;
    return (Array.isArray(results) ? results : [results]) as QueryArrayResult<Cells>[];
  };
  const run = async (text: string, hasColumns: boolean): Promise<Buffer[]> => {
    const own = ofRedshift(text, unloaded);
    if (own !== undefined) return own;
    if (text.startsWith('UNLOAD')) {
      if (options.refuses !== undefined) return [options.refuses];
      unloaded = await unload(text, options, async (sql) => (await ask(sql)).at(-1)?.rows ?? []);
      return [says.complete('UNLOAD')];
    }
    if (text.startsWith('COPY') && options.copies !== undefined)
      return [await copyFrom(text, options.copies, { client, warehouse: options.warehouse })];
    return (await ask(text)).flatMap((result) => answerOf(result, hasColumns));
  };
  const answer = async ({ type, text }: FrontendMessage): Promise<readonly Buffer[]> => {
    switch (type) {
      case 'startup':
        await client.connect();
        return [says.authentication(0), says.keys(), says.ready()];
      case 'Q':
        return [...(await run(text, true)), says.ready()];
      case 'P':
        parsed = text;
        return [says.parsed()];
      case 'D': {
        const [last] = await ask(`SELECT * FROM (${parsed}\n) AS described LIMIT 0`);
        return [says.parameters(), columnsOf(last?.fields ?? [])];
      }
      case 'B':
        return [says.bound()];
      case 'E':
        return await run(parsed, false);
      case 'X':
        await client.end();
        return [];
      default:
        return [says.ready()];
    }
  };
  return async (message) =>
    answer(message).catch((failure: Error & { code?: string }) => [
      says.error(failure.code ?? 'XX000', failure.message),
      ...(message.type === 'Q' ? [says.ready()] : []),
    ]);
}

/** Answers what PostgreSQL lacks. */
function ofRedshift(text: string, unloaded: number): Buffer[] | undefined {
  if (text === 'SELECT version()') return told('version', VERSION);
  if (text === 'SELECT pg_last_unload_count()') return told('pg_last_unload_count', String(unloaded));
  return text.startsWith('SET query_group') ? [says.complete('SET')] : undefined;
}

function answerOf(
  { fields, rows, command, rowCount }: QueryArrayResult<Cells>,
  hasColumns: boolean,
): readonly Buffer[] {
  return [
    ...(hasColumns && fields.length > 0 ? [columnsOf(fields)] : []),
    ...rows.map(says.row),
    says.complete(command === 'UPDATE' ? `UPDATE ${rowCount}` : command),
  ];
}

function told(name: string, cell: string): Buffer[] {
  return [says.columns([{ name, type: 25 }]), says.row([cell]), says.complete('SELECT')];
}

function columnsOf(fields: QueryArrayResult<Cells>['fields']): Buffer {
  return says.columns(
    fields.map(({ name, dataTypeID, dataTypeModifier }) => ({ name, type: dataTypeID, modifier: dataTypeModifier })),
  );
}

const LITERAL = String.raw`'((?:[^'\\]|''|\\[\s\S])*)'`;
const UNLOAD = new RegExp(
  `^UNLOAD \\(${LITERAL}\\)\\nTO ${LITERAL}\\nIAM_ROLE (?:default|${LITERAL})\\n` +
    `FORMAT AS CSV NULL AS ${LITERAL} GZIP MANIFEST VERBOSE MAXFILESIZE AS 256 MB(?:\\nREGION AS ${LITERAL})?$`,
);

function plain(literal: string | undefined): string {
  return (literal ?? '').replaceAll(/''|\\([\s\S])/g, (found, escaped?: string) => escaped ?? found.slice(1));
}

/** Runs one UNLOAD and returns how many rows it wrote. Without rows it writes no file. */
async function unload(
  text: string,
  { put, slices = 2, spoil = (_, body) => body }: UnloadingOptions,
  query: (sql: string) => Promise<readonly Cells[]>,
): Promise<number> {
  const found = UNLOAD.exec(text);
  if (found === null) throw new Error(`syntax error in ${text}`);
  const [, sql, place, , nullText] = found;
  const rows = await query(plain(sql));
  if (rows.length === 0) return 0;
  const [bucket = '', ...path] = plain(place).slice('s3://'.length).split('/');
  const prefix = path.join('/');
  const write = async (key: string, body: Uint8Array) => {
    const spoilt = spoil(key, body);
    if (spoilt !== undefined) await put(bucket, key, spoilt);
  };
  const files = Array.from({ length: slices }, (_, slice) => {
    const own = rows.filter((__, index) => index % slices === slice);
    const body = gzipSync(
      own.map((row) => `${row.map((cell) => csvField(cell ?? plain(nullText))).join(',')}\n`).join(''),
    );
    return { key: `${prefix}${String(slice).padStart(4, '0')}_part_00.gz`, body, rows: own.length };
  });
  for (const { key, body } of files) await write(key, body);
  const entries = files.map(({ key, body, rows: count }) => ({
    url: `s3://${bucket}/${key}`,
    meta: { content_length: body.length, record_count: count },
  }));
  const manifest = {
    entries,
    schema: { elements: [] },
    meta: { content_length: files.reduce((sum, { body }) => sum + body.length, 0), record_count: rows.length },
    author: { name: 'Amazon Redshift', version: '1.0.0' },
  };
  await write(`${prefix}manifest`, Buffer.from(JSON.stringify(manifest)));
  return rows.length;
}

/** Quotes a field with delimiters, double quotation marks, newlines or carriage returns. */
function csvField(text: string): string {
  return /[,"\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
