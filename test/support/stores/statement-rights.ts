// Rights that the statements of a write-back need by their vendors' documentation, and those of a set-up script. The local
// servers know no rights, so this is what holds the one against the other.

/** A right as `SELECT ON TABLE`; of the schema for temporary data as `USAGE ON STAGING`. */
export type Right = string;

/** A statement's first words, what follows, and the rights that the product asks for it. */
type Needs = readonly (readonly [RegExp, readonly Right[]])[];

/** Tables that a session or a principal made are its own. */
const SNOWFLAKE: Needs = [
  [/^(?:ALTER SESSION SET|BEGIN$|COMMIT$|SELECT COUNT\(\*\) AS TABLE_COUNT FROM INFORMATION_SCHEMA)/, []],
  // a temporary table takes no CREATE TABLE
  [
    /^CREATE TEMPORARY TABLE \S+\.penstock\.\S+ AS SELECT .* FROM \S+\.people WHERE/,
    ['USAGE ON STAGING', 'SELECT ON TABLE'],
  ],
  [/^(?:INSERT INTO|SELECT count\(\*\) AS loaded FROM) \S+\.penstock\.\w+/, []],
  [/^UPDATE \S+\.people AS/, ['SELECT ON TABLE', 'UPDATE ON TABLE']],
  [/^SELECT .* (?:FROM|JOIN) \S+\.people/, ['SELECT ON TABLE']],
];

const DATABRICKS: Needs = [
  [/^(?:SET TIME ZONE|SHOW TABLES$)/, []],
  [/^SET CATALOG /, ['USE CATALOG ON CATALOG']],
  [/^USE SCHEMA /, ['USE SCHEMA ON SCHEMA']],
  [
    /^CREATE OR REPLACE TABLE \S+\.`penstock`\.\S+ AS SELECT .* FROM people WHERE/,
    ['USE SCHEMA ON STAGING', 'CREATE TABLE ON STAGING', 'SELECT ON TABLE'],
  ],
  [/^(?:INSERT INTO|DROP TABLE IF EXISTS|SELECT count\(\*\) AS loaded FROM) \S+\.`penstock`\./, []],
  [/^MERGE INTO people AS t USING \S+\.`penstock`\./, ['SELECT ON TABLE', 'MODIFY ON TABLE']],
  [/^(?:DESCRIBE QUERY \(.*)?SELECT .* (?:FROM|JOIN) `?people/, ['SELECT ON TABLE']],
];

/** What is around a table: to use one, a role must be able to use these too. */
const AROUND = {
  snowflake: ['USAGE ON WAREHOUSE', 'USAGE ON DATABASE', 'USAGE ON SCHEMA'],
  databricks: ['USE CATALOG ON CATALOG', 'USE SCHEMA ON SCHEMA'],
} as const;
const NEEDS = { snowflake: SNOWFLAKE, databricks: DATABRICKS } as const;

/** Throws for a statement that is not known here: what it needs has to be looked up, and granted. */
export function rightsNeeded(product: keyof typeof NEEDS, statements: readonly string[]): ReadonlySet<Right> {
  const needed = statements.flatMap((statement) => {
    const text = statement.replace(/\s+/g, ' ').trim();
    const known = NEEDS[product].find(([pattern]) => pattern.test(text));
    if (known === undefined) throw new Error(`Nobody has said which rights this needs: ${text}`);
    return known[1];
  });
  return new Set([...AROUND[product], ...needed]);
}

export function rightsGranted(statements: readonly { readonly sql: string }[]): ReadonlySet<Right> {
  return new Set(
    statements.flatMap(({ sql }) => {
      const [, rights = '', kind = '', name = ''] = /^GRANT (.+) ON (\w+) (\S+) TO /.exec(sql) ?? [];
      const object = /[."`]penstock["`]$/i.test(name) ? 'STAGING' : kind;
      return rights === '' ? [] : rights.split(', ').map((right) => `${right} ON ${object}`);
    }),
  );
}
