import { gzipSync } from 'node:zlib';
import { parse } from 'libpg-query';
import { describe, expect, it } from 'vitest';
import { redshift } from '../../../connectors/redshift/index.ts';
import { type CsvShape, csvRows } from '../../../connectors/redshift/unload/csv-rows.ts';
import { readManifest } from '../../../connectors/redshift/unload/manifest.ts';
import { textsOf, unloadSql } from '../../../connectors/redshift/unload/unload-sql.ts';

const FOLDER = 'loads/penstock/unload/a/b/';
const UNLOADING = {
  ...{ sql: 'SELECT * FROM t', texts: ['c0'], nullText: 'none', folder: `s3://shop/${FOLDER}` },
  role: 'arn:aws:iam::123456789012:role/unload',
};

function column(nativeType: string) {
  return { name: 'x', type: 'text', nativeType } as const;
}

describe('the statement UNLOAD', () => {
  it('is as Amazon documents it', () => {
    expect(unloadSql({ ...UNLOADING, region: 'eu-west-1' })).toBe(
      [
        "UNLOAD ('SELECT c0 FROM (\nSELECT * FROM t\n) AS penstock_rows (c0)')",
        `TO 's3://shop/${FOLDER}'`,
        "IAM_ROLE 'arn:aws:iam::123456789012:role/unload'",
        "FORMAT AS CSV NULL AS 'none' GZIP MANIFEST VERBOSE MAXFILESIZE AS 256 MB",
        "REGION AS 'eu-west-1'",
      ].join('\n'),
    );
    expect(unloadSql({ ...UNLOADING, role: 'default' })).toContain('\nIAM_ROLE default\n');
  });

  it.each([
    ["SELECT 'it''s' FROM t", "SELECT ''it''''s'' FROM t"],
    [String.raw`SELECT '\') TO ''s3://evil/'' --'`, String.raw`SELECT ''\\'') TO ''''s3://evil/'''' --''`],
    [String.raw`SELECT '\\d'`, String.raw`SELECT ''\\\\d''`],
  ])('holds %s within its literal', async (sql, quoted) => {
    const text = unloadSql({ ...UNLOADING, sql });
    expect(text).toContain(quoted);
    // whether a backslash escapes or not, the literal ends where it should
    const [literal = ''] = /'[\s\S]*'(?=\)\nTO )/.exec(text) ?? [];
    for (const prefix of ['', 'E']) {
      const { stmts } = await parse(`SELECT ${prefix}${literal}`);
      expect(stmts).toHaveLength(1);
    }
  });

  it('writes the text of each type that the documentation lets be exact', async () => {
    const types = ['boolean', 'bigint', 'numeric(18,4)', 'character(5)', 'character varying(20)', 'date', 'varbyte'];
    const texts = textsOf(types.map(column)) ?? [];
    expect(texts).toHaveLength(types.length);
    expect(texts[3]).toBe('RPAD(c3, 5)');
    await parse(`SELECT ${texts.join(', ')} FROM t`);
  });

  it.each(['real', 'double precision', 'super', 'geometry', 'interval year to month', 'character', 'constructor', ''])(
    'leaves %s to the cursor',
    (type) => {
      expect(textsOf([column('bigint'), column(type)])).toBeUndefined();
    },
  );
});

describe('a manifest', () => {
  const entry = (name: string, count: unknown) => ({
    url: `s3://shop/${FOLDER}${name}`,
    meta: { content_length: 9, record_count: count },
  });
  const read = (manifest: unknown, rows = 3) =>
    readManifest(typeof manifest === 'string' ? manifest : JSON.stringify(manifest), FOLDER, { bucket: 'shop', rows });

  it('lists the files with their rows', () => {
    expect(read({ entries: [entry('0000_part_00.gz', 1), entry('0001_part_00.gz', 2)] })).toEqual([
      { key: `${FOLDER}0000_part_00.gz`, rows: 1 },
      { key: `${FOLDER}0001_part_00.gz`, rows: 2 },
    ]);
  });

  it.each([
    ['is no JSON', '{'],
    ['has no list of files', '{}'],
    ['names a file outside its folder', { entries: [{ ...entry('', 3), url: 's3://shop/other/x' }] }],
    ['names a file outside its folder', { entries: [{ ...entry('', 3), url: `s3://other/${FOLDER}x` }] }],
    ['lacks a number of rows', { entries: [entry('a', '3')] }],
    ['lacks a number of rows', { entries: [entry('a', -3)] }],
    ['names a file twice', { entries: [entry('a', 1), entry('a', 2)] }],
    ['counts 2 rows, where the server unloaded 3', { entries: [entry('a', 2)] }],
  ])('that %s is refused', (why, manifest) => {
    expect(() => read(manifest)).toThrow(why);
  });
});

describe('an unloaded file', () => {
  const SHAPE: CsvShape = { columns: 2, nullText: 'none', mostChars: 100 };
  const rowsOf = async (bytes: Uint8Array, shape: Partial<CsvShape> = {}) => {
    // byte by byte, so that no character and no row comes whole
    const parts = async function* () {
      for (const byte of bytes) yield Uint8Array.of(byte);
    };
    const rows: unknown[] = [];
    for await (const row of csvRows(parts(), { ...SHAPE, ...shape })) rows.push(row);
    return rows;
  };

  it('tells NULL from an empty text, and keeps every character', async () => {
    const text = 'none,\n"a,""b""\r\n",größe 😀\n\\n,"none of it"\n';
    expect(await rowsOf(gzipSync(text))).toEqual([
      [null, ''],
      ['a,"b"\r\n', 'größe 😀'],
      ['\\n', 'none of it'],
    ]);
  });

  it('holds a row of one empty text as an empty line', async () => {
    expect(await rowsOf(gzipSync('\na\n\n'), { columns: 1 })).toEqual([[''], ['a'], ['']]);
  });

  it.each([
    ['of another number of columns', 'a,b,secret\n'],
    ['with a misplaced quotation mark', 'a,"b"secret\n'],
    ['of an open quotation mark', 'a,"secret\n'],
    ['that is too long', `a,${'secret'.repeat(100)}\n`],
  ])('%s is refused without its cells', async (_, text) => {
    const failure = await rowsOf(gzipSync(text)).catch((thrown: Error) => thrown);
    expect(failure).toMatchObject({ code: 'WAREHOUSE_DATA' });
    expect(JSON.stringify([String(failure), failure, (failure as Error).cause])).not.toContain('secret');
  });

  it('that is cut off fails', async () => {
    await expect(rowsOf(gzipSync('a,b\n'.repeat(1000)).subarray(0, -10))).rejects.toMatchObject({
      code: 'WAREHOUSE_SESSION_LOST',
      message: 'An unloaded file is cut off or damaged.',
    });
  });
});

describe('the fields of the bucket', () => {
  const BASE = { host: 'shop.abc123.eu-west-1.redshift.amazonaws.com', database: 'shop', user: 'u', password: 'p' };
  const KEY = { aws_access_key_id: 'AKIAIOSFODNN7EXAMPLE', aws_secret_access_key: 'secret' };
  const PLACE = { s3_uri: 's3://shop-penstock/loads', s3_iam_role: 'arn:aws:iam::123456789012:role/unload' };

  it.each([
    { ...BASE, ...KEY, ...PLACE },
    { ...BASE, ...PLACE, s3_iam_role: 'default', s3_uri: 's3://shop-penstock', s3_region: 'eu-west-1' },
  ])('%j are accepted', (config) => {
    expect(redshift.checkConfig(config)).toEqual([]);
  });

  it.each([
    [{ s3_uri: PLACE.s3_uri }, 'has s3_uri without s3_iam_role'],
    [{ s3_iam_role: 'default' }, 'has s3_iam_role without s3_uri'],
    [{ s3_region: 'eu-west-1' }, 'has s3_region without s3_uri'],
    [{ ...PLACE, s3_uri: "s3://shop/a'b" }, 'must be a bucket and a folder'],
    [{ ...PLACE, s3_uri: 'https://shop.s3.amazonaws.com/' }, 'must be a bucket and a folder'],
    [{ ...PLACE, s3_iam_role: "default' x" }, 'must be the ARN of a role'],
    [{ ...PLACE, aws_access_key_id: KEY.aws_access_key_id }, 'has aws_access_key_id without aws_secret_access_key'],
    [{ ...PLACE, ...KEY, workgroup_name: 'wg' }, 'has a password and fields of AWS'],
    [KEY, 'has a password and fields of AWS'],
  ])('%j are refused', (fields, message) => {
    const issues = redshift.checkConfig({ ...BASE, ...fields });
    expect(JSON.stringify(issues)).toContain(message);
  });
});
