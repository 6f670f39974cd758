// The space of one run: a schema, dataset or database that the run creates and drops, also after a failure or Ctrl-C.
import { randomBytes } from 'node:crypto';
import { messageOf } from '../../src/kernel/index.ts';
import type { Account } from './accounts/account.ts';

const PREFIX = 'penstock_vendor_';

/** Returns a new name that tells when it was made. */
export function nameSpace(now: Date): string {
  const minute = now.toISOString().slice(0, 16).replaceAll(/[-:T]/g, '');
  return `${PREFIX}${minute}_${randomBytes(3).toString('hex')}`;
}

/** Returns the spaces of runs that were killed, or that are still going on. */
export async function leftSpaces(account: Pick<Account, 'spaces'>): Promise<readonly string[]> {
  return (await account.spaces()).filter((name) => name.toLowerCase().startsWith(PREFIX));
}

interface InSpace {
  readonly name: string;
  /** `npm run vendor -- …`, which removes what is left. */
  readonly removal: string;
}

/**
 * Works in a new space, which is dropped however the work ends. A space that cannot be dropped is named.
 * The account is opened anew for the drop: a service closes connections that were idle as long as the work takes.
 */
export async function inOwnSpace<Result>(
  open: () => Promise<Pick<Account, 'createSpace' | 'dropSpace'> & AsyncDisposable>,
  { name, removal }: InSpace,
  work: () => Promise<Result>,
): Promise<Result> {
  let failure: unknown;
  let withStaging = false;
  try {
    {
      await using account = await open();
      // inside, because a creation that fails may have created it
      withStaging = await account.createSpace(name);
    }
    return await work();
  } catch (thrown) {
    failure = thrown;
    throw thrown;
  } finally {
    await drop(open, name, withStaging).catch((thrown: unknown) => {
      const before = failure === undefined ? '' : ` Before that: ${messageOf(failure)}`;
      const message = `${name} could not be dropped: ${messageOf(thrown)}. Remove it by \`${removal}\`.${before}`;
      throw new Error(message, { cause: thrown });
    });
  }
}

async function drop(open: Parameters<typeof inOwnSpace>[0], name: string, withStaging: boolean): Promise<void> {
  await using account = await open();
  await account.dropSpace(name, withStaging);
}
