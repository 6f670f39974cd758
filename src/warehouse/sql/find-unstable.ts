import { isRecord, type Node, visitNodes } from './syntax-tree.ts';

/** Functions whose result differs at each call. A model with one of them gets a warning when it is saved. */
const RANDOM = new Set([
  'random',
  'rand',
  'randn',
  'randstr',
  'uniform',
  'zipf',
  'setseed',
  'newid',
  'seq1',
  'seq2',
  'seq4',
  'seq8',
  'uuid',
  'uuidv4',
  'uuidv7',
  'uuid_string',
  'gen_random_uuid',
  'generate_uuid',
  'uuid_generate_v4',
]);
const CLOCK = new Set([
  'now',
  'today',
  'getdate',
  'sysdate',
  'systimestamp',
  'clock_timestamp',
  'statement_timestamp',
  'timeofday',
  'transaction_timestamp',
  'current_date',
  'current_time',
  'current_timestamp',
  'current_datetime',
  'current_localtime',
  'current_localtimestamp',
  'localtime',
  'localtimestamp',
  'get_current_time',
  'get_current_timestamp',
  'utc_date',
  'utc_time',
  'utc_timestamp',
  'unix_timestamp',
]);
/** Names whose calls with an argument compute something from it. */
const ONLY_WITHOUT_ARGUMENTS = new Set(['unix_timestamp', 'uuid']);

/** Returns one sentence for each reason why reading the model again may give other rows. */
export function findUnstable(statement: unknown): readonly string[] {
  const found = new Set<string>();
  visitNodes(statement, (node) => {
    const reason = unstableCall(node) ?? unstableRows(node);
    if (reason !== undefined) found.add(reason);
  });
  return [...found].sort();
}

function unstableCall({ kind, fields }: Node): string | undefined {
  // the parser takes a name qualified by a schema for a method
  const called = isRecord(fields.method) ? fields.method.name : fields.name;
  const name = kind === 'function' || kind === 'method_call' ? String(called).toLowerCase() : kind;
  if (ONLY_WITHOUT_ARGUMENTS.has(name) && Array.isArray(fields.args) && fields.args.length > 0) return undefined;
  // the parser takes a bare or quoted column named `now` for the function
  if (name === 'now' && fields.no_parens === true) return undefined;
  if (RANDOM.has(name))
    return `${name} returns another value each time the model is read; select a stored column instead.`;
  return CLOCK.has(name)
    ? `${name} changes between two reads of the model; select a stored column instead.`
    : undefined;
}

function unstableRows({ fields }: Node): string | undefined {
  if (isRecord(fields.sample) || isRecord(fields.table_sample))
    return 'A sample returns other rows each time it is read; filter with WHERE instead.';
  const cut = [fields.limit, fields.fetch, fields.top, fields.offset].some(isRecord);
  return cut && 'order_by' in fields && !isRecord(fields.order_by)
    ? 'LIMIT without ORDER BY may return other rows each time the model is read; add ORDER BY.'
    : undefined;
}
