import { chmod, mkdir } from 'node:fs/promises';

/** As root the home is made so that the server's user can pass through it; the secrets in it stay with their owner. */
export async function makeHome(home: string): Promise<void> {
  const made = await mkdir(home, { recursive: true, mode: 0o755 });
  if (made !== undefined && process.getuid?.() === 0) await chmod(home, 0o711);
}
