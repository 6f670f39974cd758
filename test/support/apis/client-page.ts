// The code of docs/clients.md: the tests run what stands there, with their daemon in place of the example's.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClientDaemon } from '../crashes/client-daemon.ts';
import { ROOT } from '../crashes/penstock-process.ts';

const PAGE = readFileSync(join(ROOT, 'docs', 'clients.md'), 'utf8');

/** Blocks of a language in the chapter, in order, sent to `daemon`. */
export function codeOf(chapter: string, language: 'js' | 'sh', daemon: ClientDaemon): readonly string[] {
  const [, text = ''] = PAGE.split(`\n## ${chapter}\n`);
  const [own = ''] = text.split('\n## ');
  const blocks = [...own.matchAll(new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 'gs'))].map(([, block = '']) => block);
  if (blocks.length === 0) throw new Error(`docs/clients.md shows no ${language} under "${chapter}".`);
  return blocks.map((block) =>
    block
      .replaceAll('https://penstock.example.com', daemon.url)
      .replaceAll('penstock.example.com', new URL(daemon.url).host)
      .replaceAll("'KEY'", `'${daemon.key}'`)
      .replaceAll("'SECRET'", `'${daemon.secret}'`),
  );
}

/** Runs code with these names, and resolves with what it writes to the console first. */
export function runCode(code: string, names: Readonly<Record<string, unknown>>): Promise<unknown> {
  return new Promise((done, fail) => {
    const all = { ...names, console: { log: done } };
    const whole = new Function(...Object.keys(all), `return (async () => {${code}})()`);
    (whole(...Object.values(all)) as Promise<void>).catch(fail);
  });
}
