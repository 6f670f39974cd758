import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { README } from '../../tools/readme-tables.ts';
import { ROOT } from '../support/crashes/penstock-process.ts';
import { commandLine } from '../support/runner/command-line.ts';

const { run } = commandLine({});

/** Names under `Commands:` in a help. */
function commandsIn(help: string): readonly string[] {
  const [, list = ''] = help.split('\nCommands:\n');
  const [own = ''] = list.split('\n\n');
  return [...own.matchAll(/^ {2}([a-z-]+)/gm)].map(([, name = '']) => name).filter((name) => name !== 'help');
}

/** Every command of the tree with its help, the program itself first. */
async function allHelp(path: readonly string[] = []): Promise<readonly (readonly [string, string])[]> {
  const { code, out, err } = await run(...path, '--help');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  const below = await Promise.all(commandsIn(out).map((name) => allHelp([...path, name])));
  return [[['penstock', ...path].join(' '), out], ...below.flat()];
}

test('every command has a help that says what it does, without any store or setting', async () => {
  const helps = await allHelp();
  expect(helps.map(([name]) => name)).toEqual([
    'penstock',
    'penstock serve',
    'penstock demo',
    'penstock init',
    'penstock workspace',
    'penstock workspace list',
    'penstock workspace create',
    'penstock workspace provision',
    'penstock credentials',
    'penstock credentials list',
    'penstock credentials create',
    'penstock credentials create platform',
    'penstock credentials create input',
    'penstock credentials rotate',
    'penstock credentials revoke',
    'penstock credentials rights',
    'penstock credentials uses',
    'penstock feed',
    'penstock feed list',
    'penstock feed activate',
    'penstock feed deactivate',
    'penstock keys',
    'penstock keys rotate-signing',
    'penstock keys re-encrypt',
    'penstock pipeline',
    'penstock pipeline list',
    'penstock pipeline show',
    'penstock pipeline runs',
    'penstock pipeline trigger',
    'penstock pipeline cancel',
    'penstock pipeline failed-records',
    'penstock pipeline conflicts',
    'penstock pipeline retry',
    'penstock pipeline watch',
    'penstock groups',
    'penstock groups run',
    'penstock groups runs',
    'penstock groups show',
    'penstock tombstone',
    'penstock tombstone lift',
    'penstock warehouse',
    'penstock warehouse setup-sql',
    'penstock dsr',
    'penstock dsr create',
    'penstock dsr preview',
    'penstock dsr list',
    'penstock dsr show',
    'penstock dsr retry',
    'penstock dsr export',
    'penstock dsr reapply',
    'penstock dsr callbacks',
    'penstock dsr certificate',
    'penstock doctor',
  ]);
  for (const [name, help] of helps) expect(help).toMatch(new RegExp(`^Usage: ${name} .*\\n\\n\\S`));
});

const readme = readFileSync(README, 'utf8');
const named = (pattern: RegExp) => [...new Set([...readme.matchAll(pattern)].map(([, name = '']) => name))];

test('every command that the README names exists', async () => {
  const names = (await allHelp()).map(([name]) => name);
  const commands = named(/(?:penstock\.mjs|`penstock) ([a-z][a-z-]*(?: (?:trigger|watch|list|create|rotate))?)/g);
  expect(commands).toEqual(expect.arrayContaining(['init', 'serve', 'doctor', 'pipeline trigger']));
  expect(names).toEqual(expect.arrayContaining(commands.map((command) => `penstock ${command}`)));
});

test('every script of npm that the README names exists', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
  const wanted = named(/npm (?:run )?(?!(?:ci|link)\b)([a-z]+)/g);
  expect(wanted).toEqual(expect.arrayContaining(['demo', 'test', 'verify']));
  expect(Object.keys(scripts)).toEqual(expect.arrayContaining(wanted));
});
