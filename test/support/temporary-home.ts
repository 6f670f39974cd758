import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface TemporaryHome extends AsyncDisposable {
  /** Not made yet, in a folder of its own; its name holds a space. */
  readonly path: string;
}

/** A place for a home that goes with all it brought about, data outside of it too. `mode` is that of its parent. */
export async function temporaryHome(mode = 0o755): Promise<TemporaryHome> {
  const parent = await mkdtemp(join(tmpdir(), 'penstock-test-'));
  await chmod(parent, mode);
  const path = join(parent, 'a home');
  return {
    path,
    async [Symbol.asyncDispose]() {
      const record = await readFile(join(path, 'store.json'), 'utf8').catch(() => undefined);
      if (record !== undefined)
        await rm((JSON.parse(record) as { folder: string }).folder, { recursive: true, force: true });
      await rm(parent, { recursive: true, force: true });
    },
  };
}
