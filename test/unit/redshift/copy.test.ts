import { gunzipSync } from 'node:zlib';
import { parse } from 'libpg-query';
import { describe, expect, it } from 'vitest';
import { copyFromS3Sql, loadErrorSql } from '../../../connectors/redshift/copy/copy-sql.ts';
import { csvFiles } from '../../../connectors/redshift/copy/csv-files.ts';
import { placeIn } from '../../../connectors/redshift/s3/folders.ts';
import type { KeyCell } from '../../../src/warehouse/index.ts';

const COPYING = {
  ...{ table: 'penstock_stg_a_7_3', columns: ['k0', 'read_mpid', 'mpid'], folder: 's3://shop/penstock/copy/a/' },
  ...{ nullText: 'none', role: 'arn:aws:iam::123456789012:role/copy' },
};

async function textOf(rows: Iterable<readonly KeyCell[]>): Promise<string> {
  let text = '';
  for await (const file of csvFiles(rows, 'none')) text += gunzipSync(file).toString('utf8');
  return text;
}

describe('the statement COPY', () => {
  it('is as Amazon documents it', () => {
    expect(copyFromS3Sql({ ...COPYING, region: 'eu-west-1' })).toBe(
      [
        'COPY penstock_stg_a_7_3 (k0, read_mpid, mpid)',
        "FROM 's3://shop/penstock/copy/a/'",
        "IAM_ROLE 'arn:aws:iam::123456789012:role/copy'",
        `FORMAT AS CSV DELIMITER AS ',' QUOTE AS '"' NULL AS 'none' GZIP ENCODING AS UTF8 ROUNDEC`,
        'MAXERROR AS 0 COMPUPDATE OFF STATUPDATE ON',
        "REGION AS 'eu-west-1'",
      ].join('\n'),
    );
    expect(copyFromS3Sql({ ...COPYING, role: 'default' })).toContain('\nIAM_ROLE default\n');
  });

  it('changes no cell: blanks, empty texts and texts that are too long stay what they are', () => {
    expect(copyFromS3Sql(COPYING)).not.toMatch(
      /BLANKSASNULL|EMPTYASNULL|TRIMBLANKS|TRUNCATECOLUMNS|ACCEPTINVCHARS|FILLRECORD|IGNORE|ESCAPE/,
    );
  });

  it.each([
    ["s3://shop/a'b/", "'s3://shop/a''b/'"],
    ['s3://shop/a\\/', "'s3://shop/a\\\\/'"],
  ])('holds %s within its literal', (folder, quoted) => {
    expect(copyFromS3Sql({ ...COPYING, folder })).toContain(`FROM ${quoted}\n`);
  });

  it('asks for its error by the folder', async () => {
    const { stmts } = await parse(loadErrorSql('0123-4567'));
    expect(stmts).toHaveLength(1);
    expect(loadErrorSql('0123-4567')).toContain("LIKE '%/0123-4567/%'");
  });
});

describe('files for COPY', () => {
  it('quote every text, and neither NULL nor numbers', async () => {
    const rows = [
      ['a', null, 7n],
      ['', -9_223_372_036_854_775_808n, 8n],
      ['say "hi", \\N\r\n', null, 9n],
    ];
    expect(await textOf(rows)).toBe('"a",none,7\n"",-9223372036854775808,8\n"say ""hi"", \\N\r\n",none,9\n');
  });

  it('are several where rows have many characters, and none without rows', async () => {
    const rows = Array.from({ length: 100 }, (_, n): readonly KeyCell[] => ['x'.repeat(65_535), null, BigInt(n)]);
    const sizes = [];
    for await (const file of csvFiles(rows, 'none'))
      sizes.push(gunzipSync(file).toString('utf8').split('\n').length - 1);
    expect(sizes).toEqual([64, 36]);
    expect(await textOf([])).toBe('');
  });
});

describe('a place in S3', () => {
  it.each([
    ['s3://shop', 'penstock/copy/'],
    ['s3://shop/', 'penstock/copy/'],
    ['s3://shop/a/b/', 'a/b/penstock/copy/'],
    ['s3://shop//a', 'a/penstock/copy/'],
  ])('is below %s', (uri, root) => {
    expect(placeIn(uri, 'copy')).toEqual({ bucket: 'shop', root });
  });
});
