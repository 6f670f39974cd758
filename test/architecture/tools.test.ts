// The tools that hold the house rules are held themselves: a rule that never bites would stay green for ever.
import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROOT } from './source-tree.ts';

interface Cruise {
  readonly summary: {
    readonly totalCruised: number;
    readonly violations: readonly { readonly from: string; readonly rule: { readonly name: string } }[];
  };
}

interface Lint {
  readonly diagnostics: readonly {
    readonly category: string;
    readonly severity: string;
    readonly location: { readonly path: string };
  }[];
}

function tool(name: 'depcruise' | 'biome', args: readonly string[], options: { cwd: string }) {
  const command = [join(ROOT, 'node_modules', '.bin', name), ...args];
  return spawnSync(process.execPath, command, { ...options, encoding: 'utf8', maxBuffer: 1 << 26 });
}

function cruise(cwd: string): Cruise['summary'] {
  const config = join(ROOT, '.dependency-cruiser.cjs');
  const { stdout, stderr } = tool('depcruise', ['--config', config, '--output-type', 'json', 'src', 'connectors'], {
    cwd,
  });
  if (!stdout.startsWith('{')) throw new Error(stderr);
  return (JSON.parse(stdout) as Cruise).summary;
}

describe('dependency-cruiser', () => {
  /** File, what it imports, the rule that must see it. */
  const BROKEN: readonly (readonly [string, string, string])[] = [
    ['src/kernel/upward.ts', '../store/index.ts', 'kernel-imports-only-lower-rooms'],
    ['src/kernel/config.ts', '../config.ts', 'kernel-imports-only-lower-rooms'],
    ['src/store/upward.ts', '../jobs/index.ts', 'store-imports-only-lower-rooms'],
    ['src/pipelines/upward.ts', '../runs/index.ts', 'pipelines-imports-only-lower-rooms'],
    ['src/jobs/sibling.ts', '../http/index.ts', 'jobs-imports-only-lower-rooms'],
    ['src/warehouse/sibling.ts', '../store/index.ts', 'warehouse-imports-only-lower-rooms'],
    ['src/cli/main.ts', '../main.ts', 'cli-imports-only-lower-rooms'],
    ['src/runs/window.ts', '../pipelines/inner.ts', 'pipelines-is-entered-by-its-door'],
    ['src/runs/driver.ts', 'pg', 'pg-stays-home'],
    ['src/runs/queue.ts', 'pg-boss', 'pg-boss-stays-home'],
    ['src/http/rows.ts', 'drizzle-orm', 'drizzle-orm-stays-home'],
    ['src/pipelines/routes/rows.ts', 'drizzle-orm', 'drizzle-orm-stays-home'],
    ['src/access/server.ts', 'fastify', 'fastify-stays-home'],
    ['src/pipelines/logger.ts', 'pino', 'pino-stays-home'],
    ['connectors/duckdb/index.ts', '@duckdb/node-api', 'duckdb-a-z-stays-home'],
    ['src/runs/provider.ts', '../../connectors/duckdb/session.ts', 'connectors-are-met-in-app-only'],
    ['connectors/duckdb/upward.ts', '../../src/pipelines/index.ts', 'connectors-know-only-kernel-and-warehouse'],
    ['connectors/duckdb/neighbour.ts', '../redshift/session.ts', 'one-connector-never-imports-another'],
    ['src/runs/nowhere.ts', './not-there.ts', 'not-to-unresolvable'],
    ['src/runs/tester.ts', 'vitest', 'no-dev-dependency-in-source'],
    ['src/pipelines/circle-a.ts', './circle-b.ts', 'no-circular'],
  ];
  const RIGHT: readonly (readonly [string, string])[] = [
    ['src/runs/below.ts', '../pipelines/index.ts'],
    ['src/store/pool.ts', 'pg'],
    ['src/app.ts', '../connectors/duckdb/session.ts'],
    ['connectors/duckdb/session.ts', '../../src/warehouse/index.ts'],
  ];
  const rooms = ['kernel', 'store', 'warehouse', 'jobs', 'http', 'pipelines', 'runs'];
  let folder = '';

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'penstock-lines-'));
    const put = (path: string, text: string) => {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    };
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
    for (const file of ['package.json', 'tsconfig.json']) cpSync(join(ROOT, file), join(folder, file));
    const others = ['src/pipelines/inner.ts', 'src/config.ts', 'src/main.ts', 'connectors/redshift/session.ts'];
    for (const path of [...rooms.map((room) => `src/${room}/index.ts`), ...others]) put(path, 'export const x = 1;\n');
    put('src/pipelines/circle-b.ts', "import './circle-a.ts';\n");
    for (const [path, target] of [...BROKEN, ...RIGHT]) put(path, `import '${target}';\n`);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test('sees every broken line, and none that is right', () => {
    const seen = cruise(folder).violations.map(({ from, rule }) => `${from} ${rule.name}`);
    expect(BROKEN.map(([path, , rule]) => `${path} ${rule}`).filter((wanted) => !seen.includes(wanted))).toEqual([]);
    expect(seen.filter((line) => RIGHT.some(([path]) => line.startsWith(`${path} `)))).toEqual([]);
  });

  // a thousand files: beside everything else on two cores it takes more than a minute
  test('cruises the whole source, which keeps its lines', { timeout: 300_000 }, () => {
    const { totalCruised, violations } = cruise(ROOT);
    expect(totalCruised).toBeGreaterThan(30);
    expect(violations).toEqual([]);
  });
});

describe('biome', () => {
  const statements = (count: number) => Array.from({ length: count }, (_, i) => `  call(${i});`).join('\n');
  const branches = Array.from({ length: 13 }, (_, i) => `  if (x === ${i}) return ${i};`).join('\n');
  const CASES: readonly (readonly [rule: string, text: string, file?: string])[] = [
    ['noExcessiveLinesPerFile', Array.from({ length: 301 }, (_, i) => `export const a${i} = ${i};`).join('\n')],
    ['noExcessiveLinesPerFunction', `export function f() {\n${statements(41)}\n}`],
    ['noExcessiveCognitiveComplexity', `export function f(x: number) {\n${branches}\n  return -1;\n}`],
    ['useMaxParams', 'export function f(a: number, b: number, c: number, d: number) {\n  return a + b + c + d;\n}'],
    ['noExplicitAny', 'export const f = (x: any) => x;'],
    ['noEnum', 'export enum E {\n  A,\n}'],
    ['noDefaultExport', 'export default 1;'],
    ['noProcessEnv', 'export const home = process.env.HOME;'],
    ['noNonNullAssertion', 'export const f = (x: string | undefined) => x!;'],
    ['noConsole', "console.log('x');"],
    ['useFilenamingConvention', 'export const a = 1;', 'camelCase.ts'],
    ['noFloatingPromises', 'async function g() {}\nexport function f() {\n  g();\n}'],
  ];

  let folder = '';
  let seen: readonly string[] = [];

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'penstock-caps-'));
    cpSync(join(ROOT, 'biome.json'), join(folder, 'biome.json'));
    mkdirSync(join(folder, 'src'));
    for (const [rule, text, name = fileOf(rule)] of CASES) writeFileSync(join(folder, 'src', name), `${text}\n`);
    writeFileSync(
      join(folder, 'src', 'at-the-caps.ts'),
      `export function f(call: (x: number) => void) {\n${statements(36)}\n}\n`,
    );
    const { stdout, stderr } = tool(
      'biome',
      ['lint', '--vcs-enabled=false', '--reporter=json', '--max-diagnostics=none'],
      { cwd: folder },
    );
    if (!stdout.includes('"diagnostics"')) throw new Error(stderr);
    const { diagnostics } = JSON.parse(stdout) as Lint;
    seen = diagnostics
      .filter(({ severity }) => severity === 'error')
      .map(({ category, location }) => `${location.path.replace(/^.*src\//, '')} ${category.split('/').at(-1)}`);
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  test.each(CASES)('%s bites', (rule, _text, name = fileOf(rule)) => {
    expect(seen).toContain(`${name} ${rule}`);
  });

  test('lets a file at the caps pass', () => {
    expect(seen.filter((line) => line.startsWith('at-the-caps.ts'))).toEqual([]);
  });
});

function fileOf(rule: string | undefined): string {
  return `${rule?.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.ts`;
}
