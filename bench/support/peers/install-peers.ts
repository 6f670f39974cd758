import { mkdir, stat } from 'node:fs/promises';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { type BuildTools, ensureInstalled } from '../../../test/support/warehouses/install.ts';
import { PYTHON, pythonVersion, requirePrograms } from '../../../test/support/warehouses/recipe.ts';

export const SLING_VERSION = '1.4.11';
export const DLT_VERSION = '1.31.0';
/** dlt with its drivers for PostgreSQL. */
const DLT_PACKAGES = [
  `dlt[postgres,sql-database]==${DLT_VERSION}`,
  ...['connectorx==0.4.6', 'psycopg2-binary==2.9.13', 'pyarrow==26.0.1', 'SQLAlchemy==2.1.9'],
];
/** Machines that PyPI has a binary of Sling for, by the name that Node gives them. */
const MACHINES: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/** Paths of programs that are ready to run. */
export interface PeerPrograms {
  readonly sling: string;
  /** A Python that can import dlt. */
  readonly python: string;
}

/** Installs Sling and dlt from PyPI into a folder below the temporary one, or finds them there. */
export async function installPeers(say: (text: string) => void): Promise<PeerPrograms> {
  const machine = process.platform === 'linux' ? MACHINES[process.arch] : undefined;
  if (machine === undefined)
    throw new Error(
      `The bench reads /proc and runs Sling for Linux on x64 or arm64; this is ${process.platform} on ${process.arch}.`,
    );
  await requirePrograms({ name: 'The bench', programs: [PYTHON] });
  const version = await pythonVersion();
  const sling = join(
    'lib',
    `python${version}`,
    'site-packages',
    `sling_linux_${machine}`,
    'bin',
    `sling-linux-${machine}`,
  );
  const installation = {
    key: `sling-${SLING_VERSION}-dlt-${DLT_VERSION}-python-${version}`,
    proof: sling,
    async build({ folder, run }: BuildTools) {
      await run('python3', ['-m', 'venv', folder]);
      const packages = [`sling-linux-${machine}==${SLING_VERSION}`, ...DLT_PACKAGES];
      await run(join(folder, 'bin', 'python'), ['-m', 'pip', 'install', '--quiet', '--only-binary=:all:', ...packages]);
    },
  };
  const progress = { say, signal: new AbortController().signal };
  const folder = await ensureInstalled(installation, progress, await ownFolder()).catch((error: Error) => {
    throw new Error(
      `Sling and dlt cannot be installed: ${error.message}\n` +
        'Check the network, or name a mirror of PyPI in PIP_INDEX_URL, then run the bench again.',
    );
  });
  return { sling: join(folder, sling), python: join(folder, 'bin', 'python') };
}

/** Creates the folder, and refuses one of another user, whose programs would run with the rights of this one. */
async function ownFolder(): Promise<string> {
  const { uid } = userInfo();
  const folder = join(tmpdir(), `penstock-peers-${uid}`);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  if ((await stat(folder)).uid !== uid)
    throw new Error(`${folder} belongs to another user. Remove it, or set TMPDIR to a folder of yours.`);
  return folder;
}
