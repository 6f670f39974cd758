import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../kernel/index.ts';

/** Stored values from which a body was built. An API keeps values that its bodies cannot express as it read them. */
export interface BasedOn<Saved> {
  readonly read: Saved;
  /** Returns the part that went into the body. */
  readonly basisOf: (saved: Saved) => unknown;
}

/**
 * Throws STORE_CONFLICT where the locked rows differ by now, so that the body can be built anew. Times are not compared,
 * because two saves may have the same time.
 */
export function requireUnchanged<Saved>(now: Saved, basedOn: BasedOn<Saved> | undefined): void {
  if (basedOn === undefined || isDeepStrictEqual(basedOn.basisOf(now), basedOn.basisOf(basedOn.read))) return;
  throw new AppError('STORE_CONFLICT', 'The resource was changed at the same time; send the request again.');
}
