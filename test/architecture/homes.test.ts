// Clock, chance, environment and timers each have a home; everyone else is handed what they give.
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { dottedName, findNodes, importOf, parseSource, readSource } from './source-tree.ts';

interface Rule {
  readonly what: string;
  readonly matches: (node: ts.Node) => boolean;
  /** Files, or folders with a `/` at the end, that may, and why. */
  readonly homes: Readonly<Record<string, string>>;
  readonly broken: readonly string[];
  readonly allowed: readonly string[];
}

const names =
  (...wanted: readonly string[]) =>
  (node: ts.Node): boolean =>
    ts.isPropertyAccessExpression(node) && wanted.includes(dottedName(node) ?? '');
const calls =
  (...wanted: readonly string[]) =>
  (node: ts.Node): boolean =>
    ts.isCallExpression(node) && wanted.includes(dottedName(node.expression) ?? '');
const imports =
  (module: RegExp, ...taken: readonly string[]) =>
  (node: ts.Node): boolean => {
    const found = importOf(node);
    if (found === undefined || !module.test(found.module)) return false;
    return taken.length === 0 || found.names.some((name) => name === '*' || taken.includes(name));
  };
const anyOf =
  (...rules: readonly ((node: ts.Node) => boolean)[]) =>
  (node: ts.Node): boolean =>
    rules.some((rule) => rule(node));

const isNewDateOfNow = (node: ts.Node): boolean =>
  ts.isNewExpression(node) && dottedName(node.expression) === 'Date' && (node.arguments ?? []).length === 0;

const RULES: readonly Rule[] = [
  {
    what: 'the clock',
    matches: anyOf(
      names('Date.now', 'performance.now', 'performance.timeOrigin', 'process.hrtime', 'Temporal.Now'),
      isNewDateOfNow,
      calls('Date'),
      imports(/^(node:)?perf_hooks$/),
    ),
    homes: {
      'src/kernel/clock.ts': 'the system clock itself',
    },
    broken: [
      'Date.now()',
      'new Date()',
      'new Date',
      'const f = Date.now;',
      'performance.now()',
      "import 'node:perf_hooks'",
    ],
    allowed: ['new Date(5)', 'Date.parse(text)', 'const text = "Date.now()";', '// new Date()', 'clock.nowMs()'],
  },
  {
    what: 'chance',
    matches: anyOf(
      names('Math.random', 'crypto.randomUUID', 'crypto.getRandomValues'),
      imports(/^(node:)?crypto$/, 'randomBytes', 'randomInt', 'randomUUID', 'randomFillSync', 'generateKeyPairSync'),
    ),
    homes: {
      'src/kernel/backoff.ts': 'jitter, exchangeable by its parameter',
      'src/kernel/ids.ts': 'the number of the process in its ids',
      'src/http/server/request-id.ts': 'ids of requests that bring none',
      'src/runs/write-back/keyed-hash.ts': 'keys of hash tables whose names strangers choose',
      'src/kernel/encryption.ts': 'initialisation vectors',
      'src/store/embedded/': 'password and port of a new embedded store',
      'src/store/keys.ts': 'keys that are made for a new home',
      'src/dsr/officer/entry.ts': 'ids of requests that an officer enters without one',
      'src/identity/deliver/creation-tickets.ts': 'ids of tickets, of which two daemons never draw the same',
      'connectors/redshift/copy/copy.ts': 'the text of NULL in files, and the folder of an attempt',
      'connectors/redshift/unload/unload.ts': 'the text of NULL in a file, and the folder of an attempt',
      'src/access/credentials/generate-credential.ts': 'ids and secrets of credentials, ids of tokens',
    },
    broken: [
      'Math.random()',
      "import { randomUUID } from 'node:crypto'",
      "import * as c from 'crypto'",
      'crypto.randomUUID()',
    ],
    allowed: ["import { createHash } from 'node:crypto'", 'random()'],
  },
  {
    what: 'the environment',
    matches: anyOf(names('process.env'), imports(/^(node:)?process$/, 'env')),
    homes: {
      'src/config.ts': 'the only reader of the environment',
      'connectors/snowflake/session.ts': 'tells the SDK not to ask the cloud who it is; there is no other way',
    },
    broken: ['process.env.HOME', "import { env } from 'node:process'", 'readConfig(process.env)'],
    allowed: ['process.exitCode = 1', 'environment.HOME'],
  },
  {
    what: 'timers',
    matches: anyOf(
      calls('setTimeout', 'setInterval', 'globalThis.setTimeout', 'globalThis.setInterval'),
      names('AbortSignal.timeout'),
      imports(/^(node:)?timers(\/promises)?$/, 'setTimeout', 'setInterval', 'scheduler'),
    ),
    homes: {
      'src/kernel/clock.ts': 'sleep of the system clock',
    },
    broken: [
      'setTimeout(f, 5)',
      'setInterval(f, 5)',
      "import { setTimeout } from 'node:timers/promises'",
      'AbortSignal.timeout(5)',
    ],
    allowed: ['setImmediate(f)', "import { setImmediate } from 'node:timers/promises'", 'clock.sleep(5)'],
  },
  {
    // an API that says it otherwise takes the pieces and parameters of the error
    what: 'a message that is rewritten',
    matches: (node) =>
      ts.isCallExpression(node) && /(^|\.)(message|reason)\.replace(All)?$/.test(dottedName(node.expression) ?? ''),
    homes: {},
    broken: ["message.replace('a', 'b')", "thrown.message.replaceAll('a', 'b')", 'error.reason.replace(/a/, f)'],
    allowed: ["text.replace('a', 'b')", 'messageWith(error, nameOf)'],
  },
];

const source = readSource();
const isInside = (path: string, folder: string) => folder.endsWith('/') && path.startsWith(folder);

describe.each(RULES)('$what', ({ matches, homes, broken, allowed }) => {
  test('is asked for at home only', () => {
    const isHome = (path: string) => Object.keys(homes).some((home) => path === home || isInside(path, home));
    const strangers = source.filter(({ path }) => !isHome(path));
    expect(strangers.flatMap((file) => findNodes(file, matches))).toEqual([]);
  });

  test('has no home that does not use it', () => {
    const paths = source.filter((file) => findNodes(file, matches).length > 0).map(({ path }) => path);
    expect(Object.keys(homes).filter((home) => !paths.some((path) => path === home || isInside(path, home)))).toEqual(
      [],
    );
  });

  test.each(broken)('is seen in %s', (text) => {
    expect(findNodes(parseSource('x.ts', text), matches)).not.toEqual([]);
  });

  test.each(allowed)('is not seen in %s', (text) => {
    expect(findNodes(parseSource('x.ts', text), matches)).toEqual([]);
  });
});
