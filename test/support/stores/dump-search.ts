import { gunzipSync, inflateRawSync, inflateSync } from 'node:zlib';
import type { Store } from '../../../src/store/index.ts';

const MOST_DEPTH = 4;
const HEX = /(?:[0-9a-f]{2}){8,}/gi;
const BASE64 = /[A-Za-z0-9+/_-]{12,}={0,2}/g;

/** Every row of every table of the store, the queue's too, as JSON text: what a plain dump holds. */
export async function* dumpOf(store: Store): AsyncGenerator<{ readonly place: string; readonly text: string }> {
  const tables = await store.query<{ place: string }>(
    `SELECT format('%I.%I', table_schema, table_name) AS place FROM information_schema.tables
     WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')`,
  );
  for (const { place } of tables) {
    const rows = await store.query<{ text: string }>(`SELECT row_to_json(t)::text AS text FROM ${place} AS t`);
    for (const { text } of rows) yield { place, text };
  }
}

/**
 * Where one of the values stands in the dump: plain, as a JSON text writes it, or within base64, hex, gzip and zip, also one
 * in the other.
 */
export async function searchDump(store: Store, values: readonly string[]): Promise<readonly string[]> {
  const places = new Set<string>();
  for await (const { place, text } of dumpOf(store)) if (holdsAny(text, values)) places.add(place);
  return [...places].toSorted();
}

export function holdsAny(text: string, values: readonly string[], depth = 0): boolean {
  const wanted = values.map((value) => value.toLowerCase());
  const isThere = unescapings(text).some((each) => {
    const lower = each.toLowerCase();
    return wanted.some((value) => lower.includes(value));
  });
  if (isThere) return true;
  if (depth === MOST_DEPTH) return false;
  return decodings(text).some((bytes) => bytesHold(bytes, values, depth + 1));
}

const ESCAPE = /\\(?:u([0-9a-f]{4})|(["\\/]))/gi;

/** The text as it is, and without the escapes of JSON as often as there are any: JSON may lie in JSON. */
function unescapings(text: string): readonly string[] {
  const found = [text];
  for (let next = unescaped(text); next !== found.at(-1) && found.length <= MOST_DEPTH; next = unescaped(next)) {
    found.push(next);
  }
  return found;
}

function unescaped(text: string): string {
  return text.replace(ESCAPE, (_, code: string | undefined, plain: string) =>
    code === undefined ? plain : String.fromCharCode(Number.parseInt(code, 16)),
  );
}

function bytesHold(bytes: Buffer, values: readonly string[], depth: number): boolean {
  return [bytes, ...unpacked(bytes)].some((each) => {
    const [wide, narrow] = [each.toString('utf8'), each.toString('latin1')];
    return holdsAny(wide, values, depth) || (wide !== narrow && holdsAny(narrow, values, depth));
  });
}

function decodings(text: string): readonly Buffer[] {
  const hex = (text.match(HEX) ?? []).map((run) => Buffer.from(run, 'hex'));
  const base64 = (text.match(BASE64) ?? []).map((run) => Buffer.from(run, 'base64'));
  return [...hex, ...base64];
}

/** What gzip, zlib and the entries of a zip hold. */
function unpacked(bytes: Buffer): readonly Buffer[] {
  const found = [tryTo(() => gunzipSync(bytes)), tryTo(() => inflateSync(bytes))];
  for (let at = bytes.indexOf('PK\x03\x04'); at >= 0; at = bytes.indexOf('PK\x03\x04', at + 4)) {
    const from = at + 30 + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28);
    found.push(tryTo(() => inflateRawSync(bytes.subarray(from), { finishFlush: 2 })));
  }
  return found.filter((each) => each !== undefined);
}

function tryTo(unpack: () => Buffer): Buffer | undefined {
  try {
    return unpack();
  } catch {
    return undefined;
  }
}
