// The connections of one session. One is kept for sequential work; concurrent work gets another.
import type { Link } from './link.ts';

export interface Links {
  /** Lends a link that nobody else uses until it is given back. */
  take(signal: AbortSignal): Promise<Link>;
  giveBack(link: Link): Promise<void>;
  close(): Promise<void>;
}

export function createLinks(open: (signal: AbortSignal) => Promise<Link>): Links {
  const all = new Set<Link>();
  let idle: Link | undefined;
  let isClosed = false;
  const drop = async (link: Link) => {
    all.delete(link);
    await link.close();
  };
  return {
    async take(signal) {
      const kept = idle;
      idle = undefined;
      if (kept !== undefined) return kept;
      const link = await open(signal);
      all.add(link);
      return link;
    },
    async giveBack(link) {
      if (!link.isSound || idle !== undefined || isClosed) return drop(link);
      idle = link;
    },
    async close() {
      isClosed = true;
      idle = undefined;
      await Promise.all([...all].map(drop));
    },
  };
}
