import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { ensureInstalled, type Installation } from '../warehouses/install.ts';
import { cacheFolder } from '../warehouses/local-servers.ts';
import { PYTHON, pythonVersion, requirePrograms } from '../warehouses/recipe.ts';

const VERSION = '4.32.5';

async function installation(): Promise<Installation> {
  return {
    key: `schemathesis-${VERSION}-python-${await pythonVersion()}`,
    proof: 'bin/st',
    async build({ folder, run }) {
      await run('python3', ['-m', 'venv', folder]);
      await run(join(folder, 'bin', 'python'), ['-m', 'pip', 'install', '--quiet', `schemathesis==${VERSION}`]);
    },
  };
}

/** Whether it was installed before; it is not installed for a test that somebody runs by the way. */
export async function hasSchemathesis(): Promise<boolean> {
  const version = await pythonVersion().catch(() => undefined);
  if (version === undefined) return false;
  const { key, proof } = await installation();
  return access(join(cacheFolder(), 'installed', key, proof)).then(
    () => true,
    () => false,
  );
}

/** The interpreter that has it, installed now where it is not. Throws what is missing on this machine. */
export async function schemathesis(signal: AbortSignal): Promise<string> {
  await requirePrograms({ name: 'schemathesis', programs: [PYTHON] });
  const folder = await ensureInstalled(await installation(), { say: () => undefined, signal });
  return join(folder, 'bin', 'python');
}
