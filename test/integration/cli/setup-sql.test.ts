// The output of `penstock warehouse setup-sql` is run as it stands, and afterwards the user it made can write back and no more.
import { describe, expect, it } from 'vitest';
import { duckdb } from '../../../connectors/duckdb/index.ts';
import { redshift } from '../../../connectors/redshift/index.ts';
import type { Column, Session } from '../../../src/warehouse/index.ts';
import { rowsOf, scratchWarehouse } from '../../conformance/duckdb/scratch-warehouse.ts';
import { NEVER, statement } from '../../conformance/reading.ts';
import { applyRequest, staged, writeBackOf } from '../../conformance/writing-back.ts';
import { openPostgresWarehouse, type PostgresWarehouse } from '../../support/fakes/postgres-warehouse.ts';
import { warehouseEnvironment } from '../../support/fakes/warehouse-environment.ts';
import { commandLine } from '../../support/runner/command-line.ts';
import { createKeyFiles } from '../../support/runner/key-files.ts';

const { run, json } = commandLine({});
const setupSql = (...args: readonly string[]) => run('warehouse', 'setup-sql', ...args);

const ON_SNOWFLAKE = [
  ...['--provider', 'alpha', '--role', 'r', '--warehouse', 'w', '--database', 'd', '--schema', 's', '--table', 't'],
  ...['--user', 'u', '--pod', 'EU1', '--cloud-account', '123456789012', '--org-id', '1', '--account-id', '2'],
];

/** Names that belong to the whole server, and go with the warehouse. */
function onPostgres({ config: { database } }: PostgresWarehouse) {
  const names = { role: `${database}_role`, user: `${database}_user` };
  const args = ['--provider', 'gamma', '--role', names.role, '--user', names.user];
  return { ...names, args: [...args, '--database', database, '--schema', 'Shop', '--table', 'people'] };
}

async function writeOne(session: Session, table: string, mpid: bigint) {
  const [key, column] = await session.describe(statement(`SELECT customer_id, MPID FROM ${table}`), NEVER);
  const target = { table, key: [key as Column], mpid: column as Column };
  return await writeBackOf(session).apply(applyRequest(target, [staged('ann', mpid)]), NEVER);
}

const SHOP = [
  'CREATE SCHEMA shop',
  'CREATE TABLE shop.people (customer_id text, note text)',
  "INSERT INTO shop.people VALUES ('ann', 'hers')",
  'CREATE TABLE shop.wages (customer_id text, mpid bigint)',
];

describe('the statements for PostgreSQL', () => {
  it('run as they are printed; then their user writes MPIDs to that table and to no other', async () => {
    await using warehouse = await openPostgresWarehouse();
    await warehouse.seed(SHOP);
    const { role, user, args } = onPostgres(warehouse);
    const printed = await setupSql(...args);
    expect({ code: printed.code, err: printed.err }).toEqual({ code: 0, err: '' });
    await warehouse.seed([printed.out]);
    const password = /config\.password: (\S+)/.exec(printed.out)?.[1];
    {
      const environment = { ...warehouseEnvironment(), writes: true as const };
      await using session = await redshift.open({ ...warehouse.config, user, password }, environment, NEVER);
      expect(await writeOne(session, 'shop.people', 7n)).toMatchObject({ updated: 1, conflicts: 0 });
      await expect(writeOne(session, 'shop.wages', 7n)).rejects.toMatchObject({ code: 'WAREHOUSE_PERMISSION' });
    }
    expect(await warehouse.ask('SELECT * FROM shop.people')).toEqual([{ customer_id: 'ann', note: 'hers', mpid: '7' }]);
    await warehouse.seed([`DROP OWNED BY ${role}, ${user}`, `DROP ROLE ${user}`, `DROP ROLE ${role}`]);
  });
});

describe('the statement for DuckDB', () => {
  it('runs as it is printed; then MPIDs can be written, and it does no harm to run it again', async () => {
    await using scratch = await scratchWarehouse();
    const { out } = await setupSql('--provider', 'duckdb', '--table', 'people', '--schema', 'shop');
    await scratch.run('file.duckdb', ...SHOP, out, out);
    const config = { database: 'file.duckdb', read_only: false };
    const environment = warehouseEnvironment({ folder: scratch.folder });
    await using session = await duckdb.open(config, { ...environment, writes: true }, NEVER);
    expect(await writeOne(session, 'shop.people', 7n)).toMatchObject({ updated: 1 });
    expect(await rowsOf(session, 'SELECT * FROM shop.people')).toEqual([['ann', 'hers', 7]]);
  });
});

describe('the command', () => {
  it('answers statements, what comes before and what to keep to a program', async () => {
    const args = [
      '--provider',
      'delta',
      '--database',
      'shop',
      '--schema',
      'public',
      '--table',
      'people',
      '--user',
      'app',
    ];
    const answer = await json<Record<string, unknown>>('warehouse', 'setup-sql', ...args);
    expect(Object.keys(answer)).toEqual(['provider', 'before', 'statements', 'keep']);
    expect(answer.statements).toContainEqual({
      purpose: 'and read and write the table that gets its MPIDs back',
      sql: 'GRANT SELECT, MODIFY ON TABLE `shop`.`public`.`people` TO `app`',
    });
  });

  it('keeps a password that is given, and otherwise makes another one each time', async () => {
    const args = [
      '--provider',
      'gamma',
      '--role',
      'r',
      '--user',
      'u',
      '--database',
      'd',
      '--schema',
      's',
      '--table',
      't',
    ];
    const passwordOf = async (...more: readonly string[]) =>
      /PASSWORD '([^']*)'/.exec((await setupSql(...args, ...more)).out)?.[1];
    expect(await passwordOf('--password', 'Aa1-aa1-aa1-aa1')).toBe('Aa1-aa1-aa1-aa1');
    expect(await passwordOf()).toMatch(/^Pw-[0-9a-f]{40}$/);
    expect(await passwordOf()).not.toBe(await passwordOf());
  });

  it('refuses by the name of the option, with the exit code of a refusal', async () => {
    const args = ['--provider', 'beta', '--role', 'r', '--database', 'my-project', '--schema', 'a;b', '--user', 'me'];
    const { code, out, err } = await setupSql(...args);
    expect([code, out]).toEqual([2, '']);
    for (const complaint of [
      '--role: does not apply to beta',
      '--schema: must be letters, digits and _, and not begin with a digit',
      '--table: is required for beta',
      '--user: must be a service account',
    ]) {
      expect(err).toContain(complaint);
    }
    const oracle = await setupSql('--provider', 'oracle');
    expect([oracle.code, oracle.out]).toEqual([2, '']);
    expect(oracle.err).toContain(
      '--provider: "oracle" is not a provider; use one of alpha (Snowflake), beta (BigQuery),',
    );
    expect((await setupSql()).err).toContain("required option '--provider <word>' not specified");
  });

  it.each([
    ['Gamma', 'gamma'],
    ['postgresql', 'gamma'],
    ['Redshift', 'gamma'],
    ['SNOWFLAKE', 'alpha'],
    ['BigQuery', 'beta'],
    ['databricks', 'delta'],
    ['DuckDB', 'duckdb'],
  ])('takes the word %s for %s, as a connection does', async (word, provider) => {
    const complaints = async (given: string) => (await setupSql('--provider', given)).err.replaceAll(given, '');
    expect(await complaints(word)).toBe(await complaints(provider));
    expect(await complaints(word)).toContain('--table: is required for');
  });

  it('signs in to Snowflake by the file of a public key, and takes no other file', async () => {
    await using keys = await createKeyFiles();
    const withKey = (file: string) => setupSql(...ON_SNOWFLAKE, '--public-key', file);
    const [, text = ''] = /-\n([\s\S]*)\n-/.exec(keys.publicKey) ?? [];
    const { out } = await withKey(keys.publicFile);
    const set = `RSA_PUBLIC_KEY = '${text.replaceAll('\n', '')}'`;
    expect(out).toContain(`CREATE USER IF NOT EXISTS "U" ${set} TYPE = SERVICE`);
    expect(out).toContain(`-- ALTER USER "U" SET ${set}`);
    expect(out).not.toMatch(/PASSWORD|LEGACY/);
    expect((await withKey(keys.privateFile)).err).toContain(
      '--public-key: must be the file of an RSA public key in PEM',
    );
    expect((await withKey(keys.missingFile)).err).toMatch(/--public-key: cannot be read: .*ENOENT/);
  });

  it('says how to get a key for Snowflake, and why a password does not do', async () => {
    const none = await setupSql(...ON_SNOWFLAKE);
    expect([none.code, none.out]).toEqual([2, '']);
    expect(none.err).toContain('--public-key: is required for alpha; make a key with: openssl genrsa 2048');
    const { code, out, err } = await setupSql(...ON_SNOWFLAKE, '--password', 'Aa1-aa1-aa1-aa1');
    expect([code, out]).toEqual([2, '']);
    expect(err).toContain('--password: does not work any more: Snowflake lets no service sign in by password alone');
    expect(err).toContain('--public-key');
    expect(err).not.toContain('Aa1-aa1');
  });
});
