import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { removeHome } from '../../../src/store/index.ts';

export interface TemporaryHome extends AsyncDisposable {
  /** Not made yet, in a folder of its own; its name holds a space. */
  readonly path: string;
}

/** A temporary home, removed with its data, also the data outside of it. `mode` is the file mode of its parent. */
export async function temporaryHome(mode = 0o755): Promise<TemporaryHome> {
  const parent = await mkdtemp(join(tmpdir(), 'penstock-test-'));
  await chmod(parent, mode);
  const path = join(parent, 'a home');
  return {
    path,
    async [Symbol.asyncDispose]() {
      await removeHome(path);
      await rm(parent, { recursive: true, force: true });
    },
  };
}
