// The connections of one session. Sequential work uses the same connection in the same transaction, so a run sees one snapshot.
// Concurrent work gets another connection with its own snapshot.
import type { Link } from './link.ts';

export interface Links {
  /** Lends a link that nobody else uses until it is given back. */
  take(signal: AbortSignal): Promise<Link>;
  /** Lends a link in a transaction that begins now; links with an older transaction are not lent any more. */
  takeNew(signal: AbortSignal): Promise<Link>;
  giveBack(link: Link): Promise<void>;
  close(): Promise<void>;
}

export function createLinks(open: (signal: AbortSignal) => Promise<Link>): Links {
  /** The age of each open link's transaction: the number of those begun by `takeNew` up to it. */
  const ages = new Map<Link, number>();
  let age = 0;
  let idle: Link | undefined;

  const drop = async (link: Link) => {
    ages.delete(link);
    await link.close();
  };
  const take = async (signal: AbortSignal) => {
    const wanted = age;
    const link = idle ?? (await open(signal));
    if (link === idle) idle = undefined;
    else ages.set(link, wanted);
    return link;
  };
  return {
    take,
    async takeNew(signal) {
      age += 1;
      const wanted = age;
      const isKept = idle !== undefined;
      const link = await take(signal);
      try {
        if (isKept) await link.begin();
      } catch (failure) {
        await drop(link);
        throw failure;
      }
      ages.set(link, wanted);
      return link;
    },
    async giveBack(link) {
      if (!link.isSound || idle !== undefined || ages.get(link) !== age) return drop(link);
      idle = link;
    },
    async close() {
      idle = undefined;
      await Promise.all([...ages.keys()].map(drop));
    },
  };
}
