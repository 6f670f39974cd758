import { AppError } from '../kernel/index.ts';
import type { Audit } from './pipeline.ts';

type Version = Pick<Audit, 'createdOn' | 'lastModifiedOn'>;

/**
 * For a PUT that goes out from what it read before, version 1's, which keeps what it cannot express: throws STORE_CONFLICT
 * where the locked row is another version by now, and the PUT can be made anew.
 */
export function requireUnchanged(now: Version, basedOn: Version | undefined): void {
  const timesOf = ({ createdOn, lastModifiedOn }: Version) => `${createdOn.getTime()} ${lastModifiedOn?.getTime()}`;
  if (basedOn === undefined || timesOf(now) === timesOf(basedOn)) return;
  throw new AppError('STORE_CONFLICT', 'The resource was changed at the same time; send the request again.');
}
