// A server decides how long its texts are, and what they repeat: they must cost no more than a short text does.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { MOST_TEXT_CHARS } from '../../../connectors/_shared/classifier.ts';
import { classify as bigquery } from '../../../connectors/bigquery/errors.ts';
import { classify as databricks } from '../../../connectors/databricks/errors.ts';
import { RefusedCall } from '../../../connectors/databricks/link.ts';
import { classify as duckdb, explain } from '../../../connectors/duckdb/errors.ts';
import { classify as redshift } from '../../../connectors/redshift/errors.ts';
import { classify as snowflake } from '../../../connectors/snowflake/errors.ts';

const TIMES = 200_000;
const MESSAGE_CHARS = 3 * MOST_TEXT_CHARS;

/** Beginnings that a pattern takes up again and again, each as the failure that its connector meets. */
const HOSTILE: readonly (readonly [string, Error])[] = [
  ['denied', said('permission denied for a ', { code: '42501' })],
  ['denied staging', said('permission denied to create temporary tables in database ', { code: '42501' })],
  ['hint', Object.assign(new Error('x'), { code: '42601', hint: 'do '.repeat(TIMES) })],
  ['inner', new AggregateError([new Error('permission denied for a '.repeat(TIMES))], '')],
  ['serialize', said('Could not serialize access to ')],
  ['name', said('Name ', { errors: [{ reason: 'invalidQuery', message: 'Name '.repeat(TIMES) }] })],
  ['class', new RefusedCall('ERROR', '[A]'.repeat(TIMES))],
  ['open class', new RefusedCall('ERROR', '[A'.repeat(TIMES))],
  ['lines', new RefusedCall('ERROR', '\n[A'.repeat(TIMES))],
  ['cause', new Error('x', { cause: said('cause ') })],
];

function said(text: string, fields: object = {}): Error {
  return Object.assign(new Error(text.repeat(TIMES)), fields);
}

describe.each(Object.entries({ bigquery, databricks, duckdb, redshift, snowflake }))('%s', (_, classify) => {
  it.each(HOSTILE)('cuts every text of a failure before it looks at it: %s', (_what, failure) => {
    const error = classify(failure);
    expect(error.message.length).toBeLessThan(MESSAGE_CHARS);
    for (let link: unknown = error.cause; link instanceof Error; link = link.cause) {
      expect(link.message.length).toBeLessThan(MESSAGE_CHARS);
      expect((link.stack ?? '').length).toBeLessThan(2 * MESSAGE_CHARS);
    }
  });

  it('keeps the frames of a failure whose message is cut', () => {
    const { cause } = classify(new Error('x'.repeat(TIMES)));
    expect(cause).toMatchObject({ stack: expect.stringContaining('server-texts.test.ts') });
  });

  it('cuts a text that was thrown', () => {
    expect(classify('x'.repeat(TIMES)).message.length).toBeLessThan(MESSAGE_CHARS);
  });
});

describe('patterns over the texts of servers', () => {
  const folder = new URL('../../../connectors/', import.meta.url);
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    /(?:errors|estimate|job-failure|probe)\.ts$/.test(name),
  );

  it.each(sources)('%s: what begins anywhere repeats nothing that fits its own beginning', (name) => {
    const source = readFileSync(new URL(name, folder), 'utf8');
    const open = /(?:\.|\[\^[^\]]*\]|\\[SDW])[*+](?!\)*$)/;
    const patterns = [...source.matchAll(/\/((?:[^/\\\n*]|\\.)(?:[^/\\\n]|\\.)*)\/[dgimsuvy]*(?=[\s,.;:)\]])/g)];
    const slow = patterns.map(([, pattern = '']) => pattern).filter((text) => open.test(text) && !text.startsWith('^'));
    expect(slow).toEqual([]);
  });
});

describe('DuckDB’s paths', () => {
  const folder = '/srv/penstock/warehouses/1';

  it.each([
    [`Permission Error: Cannot access file "${folder}/../../keys/identity"`, '"../../keys/identity"'],
    ['Permission Error: Cannot access file "/srv/penstock/keys/identity"', '"../../keys/identity"'],
    ['IO Error: Cannot open "/srv/other"', '"../../../other"'],
    [`Invalid Input Error: CSV Error on Line: 3\n  file = ${folder}/people.csv`, 'file = people.csv'],
  ])('%s', (text, shown) => {
    const { message } = explain(new Error(text), folder);
    expect(message).toContain(shown);
    expect(message).not.toContain('/srv');
  });

  it('cuts no path in two', () => {
    const { message } = explain(
      new Error(`IO Error: ${'x'.repeat(MOST_TEXT_CHARS - 20)} ${folder}/people.csv`),
      folder,
    );
    expect(message).not.toContain('/srv');
  });

  it('ends the driver’s text before the advice', () => {
    const { message } = duckdb(new Error('IO Error: No files found that match the pattern "nofile.csv"'));
    expect(message).toContain('"nofile.csv". SQL can only read files');
  });
});
