import { parse } from 'libpg-query';
import { describe, expect, it } from 'vitest';
import {
  clearSql,
  conflictsSql,
  loadedSql,
  type StagingSql,
  updateSql,
  withholdSql,
} from '../../../connectors/_shared/write-back-sql.ts';
import { attributesSql, typesSql } from '../../../connectors/redshift/catalog.ts';
import { dialect } from '../../../connectors/redshift/dialect.ts';
import { bindSql, inlineSql } from '../../../connectors/redshift/render.ts';
import {
  analyzeSql,
  CLOSE_SQL,
  COMMIT,
  copySql,
  createStagingSql,
  declareSql,
  explainSql,
  fetchSql,
  insertSql,
  type Product,
  productOf,
  ROLLBACK,
  SAME_TEXT,
  STATEMENTS,
  TRY_FETCH,
} from '../../../connectors/redshift/statements.ts';
import { countNullIterators, ITERATOR_TYPES, type Statement, wrapModel } from '../../../src/warehouse/index.ts';

const MODEL = 'SELECT customer_id, "Moved at" FROM analytics.people -- the newest';
const BOUNDS = { timestamp_tz: ['2024-01-01T00:00:00.000000+00:00', '2024-02-01T00:00:00.000000Z'] } as const;

function boundsOf(type: string): readonly [string | bigint, string | bigint] {
  if (type.includes('unixtime')) return [1n, -2n];
  if (type === 'date') return ['2024-01-01', '2024-02-01'];
  return type === 'timestamp_tz' || type === 'timestamp_ltz'
    ? BOUNDS.timestamp_tz
    : ['2024-01-01T00:00:00.000000', '2024-02-01T00:00:00.000000'];
}

/** What the engine makes of a model, for every iterator type and every combination of ends. */
const WRAPPED: readonly Statement[] = [
  wrapModel({ sql: MODEL, dialect }),
  countNullIterators(MODEL, dialect, 'Moved at'),
  ...ITERATOR_TYPES.flatMap((type) => {
    const [start, end] = boundsOf(type);
    return [{ start, end }, { start }, { end }].map((ends) =>
      wrapModel({ sql: MODEL, dialect, range: { column: 'Moved at', type, ...ends } }),
    );
  }),
];

const stagingOf = (product: Product): StagingSql => ({
  target: {
    table: 'shop.analytics.people',
    key: [
      { name: 'customer_id', type: 'integer', nativeType: 'bigint' },
      { name: 'e"mail', type: 'text', nativeType: 'text' },
    ],
    mpid: { name: 'MPID', type: 'integer', nativeType: 'bigint' },
  },
  staging: 'penstock_stg_1_2',
  quote: dialect.quoteIdentifier,
  sameText: SAME_TEXT[product],
});
const PATTERNS = [
  [false, false],
  [true, false],
  [false, true],
];

/** Every statement that writing back can send; the parameters of an INSERT are bound by messages of their own. */
function writtenTo(product: Product): readonly string[] {
  const staging = stagingOf(product);
  const load =
    product === 'PostgreSQL'
      ? [copySql(staging.staging), analyzeSql(staging.staging)]
      : [insertSql('stg', [null, 'numeric(18,4)', null, null], 3)];
  return [
    ...STATEMENTS[product].begin(1, 'write'),
    ...[createStagingSql(product, staging), COMMIT, ...load],
    ...PATTERNS.flatMap((pattern) => [updateSql(staging, pattern), conflictsSql(staging, pattern, 10)]),
    loadedSql(staging),
    ...withholdSql(staging, [1n, -2n]),
    ...clearSql(staging.target, dialect.quoteIdentifier, [1n, 2n ** 62n]),
  ];
}

/** Every statement that the connector can send to a product where it only reads. */
function emittedTo(product: Product): readonly string[] {
  const { begin, label, clock, grants, powers } = STATEMENTS[product];
  const own = [
    ...begin(60_000, 'read'),
    ROLLBACK,
    label("it's; DROP TABLE x --"),
    clock,
    grants,
    powers,
    'SELECT version()',
  ];
  if (product === 'PostgreSQL') {
    const texts = WRAPPED.map((statement) => bindSql(statement).text);
    return [...own, ...texts, ...texts.map(declareSql), ...texts.map(explainSql), typesSql([1, 2]), attributesSql([3])];
  }
  const texts = WRAPPED.map(inlineSql);
  return [
    ...own,
    ...texts,
    ...texts.map(declareSql),
    ...texts.map(explainSql),
    fetchSql(5000),
    ...TRY_FETCH,
    CLOSE_SQL,
  ];
}

/** Kinds and fields of the parser's tree that Redshift has no statement for, or no such syntax. */
const UNKNOWN_TO_REDSHIFT: Readonly<Record<string, string>> = {
  onConflictClause: 'ON CONFLICT',
  returningClause: 'RETURNING',
  returningList: 'RETURNING',
  AEXPR_DISTINCT: 'IS DISTINCT FROM',
  AEXPR_NOT_DISTINCT: 'IS NOT DISTINCT FROM',
  ParamRef: 'a bind parameter',
  IndexStmt: 'CREATE INDEX',
  MergeStmt: 'MERGE',
  RangeFunction: 'a function in FROM',
  A_ArrayExpr: 'ARRAY[…]',
  lockingClause: 'FOR UPDATE',
  TRANS_STMT_SAVEPOINT: 'SAVEPOINT',
};
const FUNCTIONS = new Set(['version', 'count', 'sum', 'min', 'md5', 'has_schema_privilege', 'has_table_privilege']);
/** Settings that Redshift's SET knows. */
const SETTINGS = new Set([
  'client_encoding',
  'timezone',
  'datestyle',
  'extra_float_digits',
  'statement_timeout',
  'query_group',
]);

function faultsOf(tree: unknown): string[] {
  if (Array.isArray(tree)) return tree.flatMap(faultsOf);
  if (typeof tree === 'string')
    return Object.hasOwn(UNKNOWN_TO_REDSHIFT, tree) ? [UNKNOWN_TO_REDSHIFT[tree] ?? ''] : [];
  if (typeof tree !== 'object' || tree === null) return [];
  return Object.entries(tree).flatMap(([key, value]) => [
    ...(Object.hasOwn(UNKNOWN_TO_REDSHIFT, key) ? [UNKNOWN_TO_REDSHIFT[key] ?? key] : []),
    ...(key === 'FuncCall' && !FUNCTIONS.has(nameOf(value)) ? [`the function ${nameOf(value)}`] : []),
    ...(key === 'VariableSetStmt' && !SETTINGS.has(String(value.name).toLowerCase()) ? [`SET ${value.name}`] : []),
    ...faultsOf(value),
  ]);
}

function nameOf(call: { funcname?: readonly { String?: { sval?: string } }[] }): string {
  return call.funcname?.at(-1)?.String?.sval ?? '';
}

describe('the statements the connector sends', () => {
  it.each<Product>(['PostgreSQL', 'Redshift'])('are each one statement to %s', async (product) => {
    for (const sql of [...emittedTo(product), ...writtenTo(product)])
      expect((await parse(sql)).stmts, sql).toHaveLength(1);
  });

  it('hold nothing that Redshift does not know', async () => {
    const faults: unknown[] = [];
    for (const sql of [...emittedTo('Redshift'), ...writtenTo('Redshift')]) {
      // only a cursor takes no parameters
      const isInsert = sql.startsWith('INSERT');
      const found = faultsOf(await parse(sql)).filter((fault) => !isInsert || fault !== 'a bind parameter');
      if (found.length > 0) faults.push([sql, found]);
    }
    expect(faults).toEqual([]);
  });

  it.each([
    ['INSERT INTO t VALUES (1) ON CONFLICT DO NOTHING RETURNING a', ['ON CONFLICT', 'RETURNING']],
    [
      'SELECT a IS DISTINCT FROM $1 FROM generate_series(1, 2)',
      ['IS DISTINCT FROM', 'a bind parameter', 'a function in FROM', 'the function generate_series'],
    ],
    ['SET lock_timeout = 1', ['SET lock_timeout']],
    ['SAVEPOINT x', ['SAVEPOINT']],
  ])('would be found out: %s', async (sql, faults) => {
    expect([...new Set(faultsOf(await parse(sql)))].sort()).toEqual([...faults].sort());
  });

  it('only set up, begin, and read where nothing is to be written back', async () => {
    const kinds = new Set<string>();
    for (const product of ['PostgreSQL', 'Redshift'] as const) {
      for (const sql of emittedTo(product)) {
        for (const { stmt } of (await parse(sql)).stmts ?? []) kinds.add(Object.keys(stmt ?? {})[0] ?? '');
      }
    }
    expect([...kinds].sort()).toEqual([
      ...['ClosePortalStmt', 'DeclareCursorStmt', 'ExplainStmt', 'FetchStmt', 'SelectStmt', 'TransactionStmt'],
      'VariableSetStmt',
    ]);
  });

  it.each<Product>(['PostgreSQL', 'Redshift'])('begin every transaction of %s as READ ONLY', (product) => {
    expect(STATEMENTS[product].begin(1, 'read')[0]).toMatch(/^BEGIN .*READ ONLY$/);
  });

  it('update one column, and begin as READ WRITE, to write back', async () => {
    for (const product of ['PostgreSQL', 'Redshift'] as const) {
      expect(STATEMENTS[product].begin(1, 'write')[0]).toMatch(/^BEGIN .*READ WRITE$/);
      const updates = writtenTo(product).filter((sql) => sql.startsWith('UPDATE'));
      for (const sql of updates) {
        expect((await parse(sql)).stmts, sql).toMatchObject([
          { stmt: { UpdateStmt: { targetList: [expect.anything()] } } },
        ]);
      }
      expect(updates).toHaveLength(PATTERNS.length + 1);
    }
  });

  it('never let a label end its literal', () => {
    const label = STATEMENTS.PostgreSQL.label(`penstock'; DROP TABLE x; -- ü\n${'x'.repeat(200)}`);
    expect(label).toMatch(/^SET application_name = '[^'\\\n]{63}'$/);
  });
});

describe('the product', () => {
  it.each([
    ['PostgreSQL 18.4 on x86_64-pc-linux-gnu, compiled by gcc', 'PostgreSQL'],
    ['PostgreSQL 8.0.2 on i686-pc-linux-gnu, compiled by GCC gcc (GCC) 3.4.2, Redshift 1.0.61678', 'Redshift'],
  ])('of %j is %s', (version, product) => expect(productOf(version)).toBe(product));
});
