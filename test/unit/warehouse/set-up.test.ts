import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { PROVIDERS, type Provider } from '../../../connectors/facts.ts';
import { FLEET } from '../../../connectors/index.ts';
import { SET_UPS } from '../../../connectors/set-ups.ts';
import { readSetUp, type SetUpValues } from '../../../src/warehouse/index.ts';
import { SET_UP_INPUTS } from '../../../src/warehouse/set-up.ts';
import { loadParser } from '../../../src/warehouse/sql/parser.ts';

const TABLE = { database: 'shop', schema: 'Public', table: 'people' };
const VALUES: Readonly<Record<Provider, SetUpValues>> = {
  Alpha: {
    ...{ ...TABLE, role: 'penstock_role', warehouse: 'wh', user: 'penstock' },
    ...{ publicKey: `${'MIIB'.repeat(98)}==`, pod: 'EU1', cloudAccount: '123456789012', orgId: '1', accountId: '2' },
  },
  Beta: { ...TABLE, database: 'my-project', user: 'penstock@my-project.iam.gserviceaccount.com', region: 'EU' },
  Gamma: { ...TABLE, role: 'penstock_role', user: 'penstock', password: 'Pw-0123456789' },
  Delta: { ...TABLE, user: '8d6ae9f5-0000-4000-8000-000000000000' },
  DuckDB: { schema: 'Public', table: 'people' },
};
const GRAMMARS: Readonly<Record<Provider, readonly string[]>> = {
  ...{ Alpha: ['snowflake'], Beta: ['bigquery'], Gamma: ['postgresql', 'redshift'] },
  ...{ Delta: ['databricks'], DuckDB: ['duckdb'] },
};
const statementsOf = (provider: Provider, values: SetUpValues) =>
  SET_UPS[provider].write(readSetUp(SET_UPS[provider], provider, values)).statements.map(({ sql }) => sql);

describe.each(PROVIDERS)('the statements that prepare a table of %s', (provider) => {
  /** Vendors document them; the parser's grammar of that product has no such statement, or not all of it. */
  const UNKNOWN_TO_PARSER = [
    'DESCRIBE INTEGRATION',
    'GRANT `roles/',
    'CREATE SCHEMA IF NOT EXISTS `my',
    'GRANT USE CATALOG',
  ];

  it.each(GRAMMARS[provider])('are one statement each, in the grammar %s', async (grammar) => {
    const parser = await loadParser();
    for (const sql of statementsOf(provider, VALUES[provider])) {
      expect(parser.tokens(sql, grammar)?.some(({ type }) => type === 'SEMICOLON')).toBe(false);
      if (UNKNOWN_TO_PARSER.some((start) => sql.startsWith(start))) continue;
      const parsed = parser.parse(sql, grammar);
      expect([sql, parsed.outcome, 'statements' in parsed && parsed.statements.length]).toEqual([sql, 'parsed', 1]);
    }
  });

  it('stay the same statements whatever the names hold', async () => {
    const parser = await loadParser();
    const [grammar = ''] = GRAMMARS[provider];
    const shape = (values: SetUpValues) =>
      statementsOf(provider, values).map((sql) => parser.tokens(sql, grammar)?.map(({ type }) => type));
    const plain = shape(VALUES[provider]);
    const names = SET_UP_INPUTS.filter((name) => VALUES[provider][name] !== undefined);
    fc.assert(
      fc.property(fc.constantFrom(...names), hostile, (name, value) => {
        let hit: ReturnType<typeof shape>;
        try {
          hit = shape({ ...VALUES[provider], [name]: value });
        } catch (error) {
          expect(String(error)).toContain('must be');
          return;
        }
        expect(hit).toEqual(plain);
      }),
      { numRuns: 300 },
    );
  });

  it('say what to keep for fields that a connection of that provider has, and miss none that it needs', () => {
    const { keep } = SET_UPS[provider].write(VALUES[provider]);
    const fields = keep.flatMap(({ where }) => [...where.matchAll(/config\.(\w+)/g)].map(([, field = '']) => field));
    const schema = FLEET[provider]?.configSchema as { readonly properties?: object; readonly required?: string[] };
    expect(Object.keys(schema.properties ?? {})).toEqual(expect.arrayContaining(fields));
    expect(fields).toEqual(expect.arrayContaining(schema.required ?? ['none is named']));
  });

  it('name what is missing and what does not apply', () => {
    const { inputs } = SET_UPS[provider];
    const required = SET_UP_INPUTS.filter((name) => inputs[name] !== undefined && inputs[name]?.isOptional !== true);
    const none = () => readSetUp(SET_UPS[provider], provider, {});
    for (const name of required)
      expect(none).toThrow(`--${name.replace(/[A-Z]/g, (c) => `-${c.toLowerCase()}`)}: is required`);
    const { outdated = {} } = SET_UPS[provider];
    const foreign = SET_UP_INPUTS.filter((name) => inputs[name] === undefined && outdated[name] === undefined);
    for (const name of foreign) {
      expect(() => statementsOf(provider, { ...VALUES[provider], [name]: 'x' })).toThrow('does not apply to');
    }
  });
});

const hostile = fc.oneof(
  fc.constantFrom(
    'a"b',
    'a`b',
    "a'b",
    'a\\',
    'a"; DROP TABLE x; --',
    'a` b',
    '"',
    '``',
    'a/*',
    'a;b',
    'a.b',
    'ä',
    '$$',
    'x"."y',
  ),
  fc.string({ unit: 'binary', maxLength: 20 }),
  fc.string({ unit: fc.constantFrom(...'"`\'\\;-/* ab\n'), maxLength: 12 }),
);

describe('names', () => {
  it('are folded as the product folds what a model does not quote', () => {
    expect(statementsOf('Alpha', VALUES.Alpha).join()).toContain(
      'ON TABLE "SHOP"."PUBLIC"."PEOPLE" TO ROLE "PENSTOCK_ROLE"',
    );
    expect(statementsOf('Gamma', VALUES.Gamma).join()).toContain('ON TABLE "public"."people" TO GROUP "penstock_role"');
    expect(statementsOf('Alpha', { ...VALUES.Alpha, role: 'My role; --' }).join()).toContain(
      'CREATE ROLE IF NOT EXISTS "My role; --"',
    );
  });

  it('of what the model names are refused when they need quotes there', () => {
    for (const table of ['my table', 'my-table', '1st', 'a"b', '', 'ä']) {
      expect(() => statementsOf('Gamma', { ...VALUES.Gamma, table })).toThrow('--table: must be letters, digits and _');
    }
  });

  it('of databases, roles and users may need quotes, which a model does not write', () => {
    const names = { database: 'Shop-prod 2', role: 'Ro;le', user: 'penstock@example.com' };
    const gamma = statementsOf('Gamma', { ...VALUES.Gamma, ...names }).join('\n');
    expect(gamma).toContain('ON DATABASE "Shop-prod 2" TO GROUP "Ro;le"');
    expect(gamma).toContain('CREATE USER "penstock@example.com" PASSWORD');
    expect(statementsOf('Alpha', { ...VALUES.Alpha, ...names }).join('\n')).toContain(
      'ON TABLE "Shop-prod 2"."PUBLIC"."PEOPLE" TO ROLE "Ro;le"',
    );
    const delta = { ...VALUES.Delta, database: 'Shop-prod', schema: 'my-shop' };
    expect(statementsOf('Delta', delta).join('\n')).toContain('ON TABLE `Shop-prod`.`my-shop`.`people` TO `');
    for (const schema of ['my shop', 'main.shop', 'a/b']) {
      expect(() => statementsOf('Delta', { ...delta, schema })).toThrow(
        '--schema: must be 1 to 127 characters without',
      );
    }
  });

  it('of a database stay as they are where who signs in names it letter by letter', () => {
    expect(statementsOf('Gamma', { ...VALUES.Gamma, database: 'Shop' }).join()).toContain('ON DATABASE "Shop"');
    expect(statementsOf('Alpha', { ...VALUES.Alpha, database: 'Shop' }).join()).toContain('ON DATABASE "SHOP"');
  });

  it('passwords mean the same between the quotes of every product', () => {
    for (const password of [
      "Pw-012345'678",
      'Pw-01234\\5678',
      'short',
      'with a space inside',
      `Pw-${'x'.repeat(70)}`,
    ]) {
      expect(() => statementsOf('Gamma', { ...VALUES.Gamma, password })).toThrow('--password: must be 12 to 64');
    }
  });
});

describe('a public key in place of a password', () => {
  const { publicKey = '' } = VALUES.Alpha;

  it('makes a user that signs in by it alone', async () => {
    const parser = await loadParser();
    const [user = ''] = statementsOf('Alpha', VALUES.Alpha).filter((sql) => sql.startsWith('CREATE USER'));
    expect(user).toContain(` RSA_PUBLIC_KEY = '${publicKey}' TYPE = SERVICE `);
    expect(user).not.toContain('PASSWORD');
    expect(parser.parse(user, 'snowflake')).toMatchObject({ outcome: 'parsed' });
    const { keep, before } = SET_UPS.Alpha.write(VALUES.Alpha);
    expect(keep.map(({ where }) => where)).toContain('config.private_key');
    expect(keep.map(({ where }) => where)).not.toContain('config.password');
    const [alter = ''] = before.filter((line) => line.startsWith('ALTER USER'));
    expect(parser.parse(alter, 'snowflake')).toMatchObject({ outcome: 'parsed' });
  });

  it('is the text of one, and belongs to no other product', () => {
    for (const wrong of ['', 'short', `${publicKey}'`, publicKey.replace('M', ' ')]) {
      expect(() => statementsOf('Alpha', { ...VALUES.Alpha, publicKey: wrong })).toThrow(
        '--public-key: must be the file of an',
      );
    }
    expect(() => statementsOf('Gamma', { ...VALUES.Gamma, publicKey })).toThrow('--public-key: does not apply to');
  });

  it('leaves no place for a password', () => {
    expect(() => statementsOf('Alpha', { ...VALUES.Alpha, password: 'Pw-0123456789' })).toThrow(
      '--password: does not work any more',
    );
  });
});
