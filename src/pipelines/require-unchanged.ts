import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../kernel/index.ts';

/** What a body was made of: an API keeps what its bodies cannot express as it read it. */
export interface BasedOn<Saved> {
  readonly read: Saved;
  /** As much of it as went into the body. */
  readonly kept: (saved: Saved) => unknown;
}

/**
 * Throws STORE_CONFLICT where the locked rows say something else by now, so that the body can be made anew. Times do not tell:
 * two saves may have one.
 */
export function requireUnchanged<Saved>(now: Saved, basedOn: BasedOn<Saved> | undefined): void {
  if (basedOn === undefined || isDeepStrictEqual(basedOn.kept(now), basedOn.kept(basedOn.read))) return;
  throw new AppError('STORE_CONFLICT', 'The resource was changed at the same time; send the request again.');
}
