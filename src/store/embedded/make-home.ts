import { chmod, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { AppError, messageOf } from '../../kernel/index.ts';

/**
 * Makes the home with every folder above it that is missing. As root they are made so that the server's user can pass through;
 * what lies in the home stays with its owner. Throws STORE_START when this user may not make it.
 */
export async function makeHome(home: string): Promise<void> {
  try {
    const first = await mkdir(home, { recursive: true, mode: 0o700 });
    if (first === undefined || process.getuid?.() !== 0) return;
    for (let folder = home; folder.length >= first.length; folder = dirname(folder)) await chmod(folder, 0o711);
  } catch (cause) {
    throw new AppError(
      'STORE_START',
      `The home ${home} cannot be created: ${messageOf(cause)}. Set PENSTOCK_HOME to a folder that this user can write to, or create ${home} for this user.`,
      { cause },
    );
  }
}
