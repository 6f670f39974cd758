import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { jobNames, labelsOf } from '../../../connectors/bigquery/jobs/job-names.ts';

const statement = (sql: string, parameters: Readonly<Record<string, string | bigint>> = {}) => ({ sql, parameters });

describe('labels', () => {
  it('name pipeline and run', () => {
    expect(labelsOf({ pipeline: 'My Pipe.line', run: '12' })).toEqual({
      penstock: 'true',
      penstock_pipeline: 'my_pipe_line',
      penstock_run: '12',
    });
  });

  it('are what BigQuery allows, whatever they are made of', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ minLength: 1 }), fc.string({ unit: 'grapheme' })), (label) => {
        for (const [key, value] of Object.entries(labelsOf(label))) {
          expect(key).toMatch(/^[a-z][a-z0-9_-]{0,62}$/);
          expect(value).toMatch(/^[a-z0-9_-]{0,63}$/);
        }
      }),
    );
  });
});

describe('the name of a job', () => {
  const key = 'c0ffee';

  it('is the same for the same statement under the same key, in every attempt', () => {
    const name = jobNames(statement('SELECT 1', { a: 5n }), 'p.d', key);
    expect(name(1)).toBe(jobNames(statement('SELECT 1', { a: 5n }), 'p.d', key)(1));
    expect(name(1)).toMatch(/^[\w-]{1,1024}$/);
    expect(name(1)).not.toBe(name(2));
  });

  it.each([
    ['statement', statement('SELECT 2', { a: 5n }), 'p.d', key],
    ['bound', statement('SELECT 1', { a: 6n }), 'p.d', key],
    ['place', statement('SELECT 1', { a: 5n }), 'p.e', key],
    ['key', statement('SELECT 1', { a: 5n }), 'p.d', 'c0ffef'],
  ])('is another for another %s', (_, ...[other, place, otherKey]) => {
    const name = jobNames(statement('SELECT 1', { a: 5n }), 'p.d', key);
    expect(jobNames(other, place, otherKey)(1)).not.toBe(name(1));
  });

  it('is never met again where there is no key', () => {
    expect(jobNames(statement('SELECT 1'), 'p.d', undefined)(1)).not.toBe(
      jobNames(statement('SELECT 1'), 'p.d', undefined)(1),
    );
  });
});
