import { buffer } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { createZip, type ZipEntry } from '../../../src/dsr/result/zip.ts';
import { readZip } from '../../support/runner/read-zip.ts';

const MADE_ON = new Date(Date.UTC(2026, 0, 15, 12));

async function* texts(...parts: readonly string[]) {
  yield* parts;
}

async function* entriesOf(...entries: readonly (readonly [string, AsyncIterable<string>])[]): AsyncGenerator<ZipEntry> {
  for (const [name, text] of entries) yield { name, text };
}

test('a zip holds each entry whole, however its text comes', async () => {
  const large = 'Zeile für Zeile 🚀\n'.repeat(50_000);
  const zip = await buffer(
    createZip(entriesOf(['a.jsonl', texts('{"a":', '1}\n')], ['b.jsonl', texts(large, large)]), MADE_ON),
  );
  expect(await readZip(zip)).toEqual(
    new Map([
      ['a.jsonl', '{"a":1}\n'],
      ['b.jsonl', large + large],
    ]),
  );
});

test('what an entry throws is thrown, and nobody takes half for the whole', async () => {
  async function* broken() {
    yield 'half';
    throw new Error('the store went away');
  }
  await expect(buffer(createZip(entriesOf(['a.jsonl', broken()]), MADE_ON))).rejects.toThrow('the store went away');
});

test('what an entry throws before its first text is thrown', async () => {
  async function* broken(): AsyncGenerator<ZipEntry> {
    yield* [];
    throw new Error('no entry');
  }
  await expect(buffer(createZip(broken(), MADE_ON))).rejects.toThrow('no entry');
});

test('who stops reading in the middle ends the reading of the entries', async () => {
  let ended = false;
  async function* endless() {
    try {
      for (;;) yield Math.random().toString(36).repeat(1000);
    } finally {
      ended = true;
    }
  }
  for await (const bytes of createZip(entriesOf(['endless', endless()]), MADE_ON)) {
    if (bytes.length > 100) break;
  }
  expect(ended).toBe(true);
});

test('nothing is read ahead of who takes the zip but a few buffers', async () => {
  let pages = 0;
  const page = Array.from({ length: 20_000 }, () => Math.random().toString(36)).join('');
  async function* many() {
    for (; pages < 1000; pages++) yield page;
  }
  const zip = createZip(entriesOf(['many', many()]), MADE_ON);
  await zip.next();
  await zip.next();
  await new Promise((resolve) => setImmediate(resolve));
  expect(pages).toBeLessThan(20);
  await zip.return();
});
