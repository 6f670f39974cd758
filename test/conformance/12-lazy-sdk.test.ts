import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { sentence } from './fleet.ts';

const connectors = fileURLToPath(new URL('../../connectors/index.ts', import.meta.url));

/** Everything that is loaded after the fleet was imported and asked all that needs no warehouse. */
const SCRIPT = `
  import { createRequire, registerHooks } from 'node:module';
  const loaded = [];
  registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
  const { FLEET } = await import(${JSON.stringify(connectors)});
  for (const connector of Object.values(FLEET)) {
    connector.checkConfig({});
    connector.classify(new Error('x'));
    await connector.open({}, {}, new AbortController().signal).catch(() => undefined);
  }
  console.log(JSON.stringify([...loaded, ...Object.keys(createRequire(import.meta.url).cache)]));
`;

sentence('12. no SDK is loaded before open', (fixture) => {
  test('only the connectors themselves are', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', SCRIPT]);
    const loaded = JSON.parse(stdout) as string[];
    expect(loaded.some((url) => url.endsWith('connectors/index.ts'))).toBe(true);
    const found = loaded.filter((url) => fixture.sdk.some((name) => url.includes(`/node_modules/${name}`)));
    expect(found).toEqual([]);
  });
});
