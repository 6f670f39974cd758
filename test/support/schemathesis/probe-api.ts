// schemathesis (https://schemathesis.io) makes calls from the API's own description, right ones and wrong ones, and looks
// whether every answer is one that the description has.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProbedDaemon } from './probed-daemon.ts';
import { type Document, proberDocument } from './prober-document.ts';

export interface Probing {
  /** The interpreter that has schemathesis. */
  readonly python: string;
  readonly phases: readonly ('examples' | 'coverage' | 'fuzzing' | 'stateful')[];
  /** Calls of one operation that are made by chance. */
  readonly examples: number;
  readonly seed: number;
  /** Ids of operations; absent: all of the platform. */
  readonly only?: readonly string[];
  /** Leaves out phases for the widest bodies: what `coverage` does for one of them takes as long as all others. */
  readonly isShort?: boolean;
  /** What schemathesis is told in place of what the daemon says of itself. */
  readonly retell?: (document: Document) => Document;
}

/**
 * What must hold of every answer. Left out: that whatever fits the schema is accepted (many rules are no schema's: a model's
 * SQL, what a pipeline refers to), what `Allow` says of a path that two routes have, and whether wrong credentials are refused:
 * after twenty of them an address waits, and hears 429; described-answers.test.ts tries them from many addresses.
 */
const CHECKS = [
  ...['not_a_server_error', 'status_code_conformance', 'content_type_conformance', 'response_schema_conformance'],
  ...['response_headers_conformance', 'negative_data_rejection', 'missing_required_header', 'unsupported_method'],
  ...['use_after_free', 'ensure_resource_availability'],
];

/** The examples are the seeds', and no other's answers. */
const RIGHT_EXAMPLES = ['[phases.examples.extra-data-sources]', 'responses = false'];

const WITHOUT_WIDEST = [
  ...withoutPhase('coverage', ['Identity', 'Analytics']),
  ...[...withoutPhase('coverage', ['Events']), '[operations.phases.examples]', 'enabled = false'],
];

function withoutPhase(phase: string, tags: readonly string[]): readonly string[] {
  return ['[[operations]]', `include-tag = ${JSON.stringify(tags)}`, `[operations.phases.${phase}]`, 'enabled = false'];
}

/** Answers of a warehouse that is not there; whether they are described is another check's. */
const ALLOWED = ['2xx', '4xx', '502', '503', '504', '505'];

/** What a call that breaks the schema may meet; it may be too large as well, or name what is gone. */
const REFUSALS = ['400', '401', '403', '404', '405', '409', '413', '415', '429', '505'];

/**
 * Operations that accept wrong items: a bulk request records a wrong batch and is answered like any other (D-030), and
 * habits of web clients, such as a crash without a severity, are translated (D-038).
 */
const TAKES_WRONG = [
  '[[operations]]',
  `include-operation-id = ${JSON.stringify(['sendBulkEvents', 'sendHistoricalEvents', 'sendAnalyticsBatch', 'sendWebEvents'])}`,
  '[operations.checks.negative_data_rejection]',
  `expected-statuses = ${JSON.stringify([...REFUSALS, '200', '202'])}`,
];

export interface Verdict {
  readonly exitCode: number | null;
  /** What schemathesis wrote. */
  readonly report: string;
  /** How many calls of each operation had an answer that is no refusal, by method and path. */
  readonly accepted: ReadonlyMap<string, number>;
}

export async function probeApi(probed: ProbedDaemon, probing: Probing): Promise<Verdict> {
  const folder = await mkdtemp(join(tmpdir(), 'penstock-schemathesis-'));
  try {
    const told = (await (await fetch(`${probed.daemon.url}/openapi.json`)).json()) as Document;
    const document = probing.retell?.(told) ?? told;
    await writeFile(join(folder, 'openapi.json'), JSON.stringify(proberDocument(document, probed)));
    await writeFile(join(folder, 'schemathesis.toml'), settings(probed, probing));
    return await run(folder, probed.daemon.url, probing);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function run(
  folder: string,
  url: string,
  { python, phases, examples, seed, only = [] }: Probing,
): Promise<Verdict> {
  const options = [
    ...['-m', 'schemathesis.cli', '--no-color', 'run', 'openapi.json', '--url', url, '--workers', '1'],
    ...['--checks', CHECKS.join(','), '--phases', phases.join(','), '--max-examples', String(examples)],
    ...['--seed', String(seed), '--warnings', 'off', '--request-timeout', '120', '--generation-database', 'none'],
    ...['--report', 'json', '--report-json-path', 'report.json'],
    ...only.flatMap((operation) => ['--include-operation-id', operation]),
  ];
  const child = spawn(python, options, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const written: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => written.push(text));
  }
  const [exitCode] = (await once(child, 'close')) as [number | null];
  return { exitCode, report: written.join(''), accepted: await acceptedOf(join(folder, 'report.json')) };
}

interface Report {
  readonly valid_rates: Readonly<Record<string, Readonly<Record<string, { readonly accepted: number }>>>>;
}

async function acceptedOf(file: string): Promise<ReadonlyMap<string, number>> {
  const { valid_rates } = JSON.parse(await readFile(file, 'utf8')) as Report;
  return new Map(
    Object.entries(valid_rates).map(([operation, phases]) => [
      operation,
      Object.values(phases).reduce((sum, { accepted }) => sum + accepted, 0),
    ]),
  );
}

function settings({ token, input }: ProbedDaemon, { isShort = false }: Probing): string {
  return [
    '[auth.openapi.bearer]',
    `bearer = ${JSON.stringify(token)}`,
    '[auth.openapi.basic]',
    `username = ${JSON.stringify(input.key)}`,
    `password = ${JSON.stringify(input.secret)}`,
    '[checks.not_a_server_error]',
    `expected-statuses = ${JSON.stringify(ALLOWED)}`,
    '[checks.negative_data_rejection]',
    `expected-statuses = ${JSON.stringify(REFUSALS)}`,
    ...RIGHT_EXAMPLES,
    ...TAKES_WRONG,
    ...(isShort ? WITHOUT_WIDEST : []),
  ].join('\n');
}
