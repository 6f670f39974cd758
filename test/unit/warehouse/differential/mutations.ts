// Texts that two parsers are likely to read differently: what hides, ends or adds a statement, put into good queries.

/** Put between two words of a query, or behind the last. */
const FRAGMENTS = [
  ...['; drop table t', '; ', ' into x', ' for update', ' union select 1', ' go ', ' begin ', ' end ', ' set a = 1'],
  ...[' /* ; drop table t */', ' -- x\n; delete from t', ' # ; \n', ' //; x\n', ' /*', ' */', ' \\', '`', '\u0000'],
  ...["' ; drop table t --", '" ; drop table t --', ' $$ ; drop table t $$', "\\' ; drop table t --", ' call f()'],
  ...[' (delete from t)', ' (insert into t values (1) returning a)', ' with y as (delete from t)', ' returning *'],
] as const;

/** Returns each query with each third of the fragments, at a place that follows from both numbers. */
export function mutations(queries: readonly string[]): readonly string[] {
  return queries.flatMap((query, row) => {
    const words = query.split(' ');
    return FRAGMENTS.flatMap((fragment, column) => {
      if ((row + column) % 3 !== 0) return [];
      const at = 1 + ((row * 7 + column * 13) % words.length);
      return [`${words.slice(0, at).join(' ')}${fragment} ${words.slice(at).join(' ')}`];
    });
  });
}

/** Texts around quotes, comments and words that are statements in one product and names in another. */
export const DISPUTES = [
  ...[
    "select a from t where x = 'a\\'; drop table t; --'",
    "select 'a\\'' ; drop table t --'",
    'select `a\\`; drop table t`',
  ],
  ...[
    'select a from t -- \u2028; drop table t',
    'select a from t --\u0085; drop table t',
    'select a from t --\r; drop table t',
  ],
  ...['select /*! ; drop table t */ 1', 'select 1 /*! union select 2 */', 'select a # ; drop table t\n from t'],
  ...['with a as (delete from t returning *) select 1', 'with a as materialized (delete from t returning *) select 1'],
  ...['with recursive a as (update t set a = 1 returning *) select 1', 'select * from (delete from t returning *) x'],
  ...[
    'select * into temp x from t',
    'select a into @x from t',
    "select a from t into outfile 'x'",
    'select 1 union select 2 into x',
  ],
  ...[
    'select a from t where exists (insert into t values (1))',
    'table t',
    'values (1)',
    'select * from t lock in share mode',
  ],
  ...[
    "select if(a, 'insert', 'x') from t",
    "select insert(a, 1, 2, 'x'), replace(b, 'c', 'd') from t",
    'select truncate(a, 1) from t',
  ],
  ...[
    'select "update", "delete" from "insert"',
    'select `update` from `delete`',
    'select a, drop from t',
    'select set from t',
  ],
  ...[
    "select $$ $x$ $$, 'a' ; ",
    'select $a$ $b$ ; drop table t; $b$ $a$',
    "select E'\\'' , 'x'",
    "select e'\\\\'';drop table t;--'",
  ],
  ...["select U&'\\0027; drop table t --'", "select x'; drop table t --'", "select r'\\'; drop table t; --' from t"],
  ...[
    'select """a"; drop table t; """ from t',
    "select '''a'; drop table t; ''' from t",
    "select 'a'''; drop table t; '''",
  ],
  ...[
    'select a as drop from t',
    'select * from t, delete',
    'explain select 1',
    'select 1 select 2',
    'select 1 go select 2',
  ],
] as const;
