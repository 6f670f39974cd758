// Cursors of exports: text that names the line that came last. Short, without secrets, the same in every daemon.
import { ENVIRONMENT_NUMBER, type Environment } from '../../identity/index.ts';
import { fitsInt64, type Issue, quoteValue } from '../../kernel/index.ts';
import type { LogPosition } from '../log/read-log.ts';

/** The bounds of a selection that gives none. */
export const ALL_TIME = { from: new Date('0001-01-01T00:00:00Z'), to: new Date('9999-12-31T23:59:59.999Z') };

export const batchCursor = ({ receivedOn, id }: LogPosition): string => `b1_${receivedOn.getTime()}_${id}`;

/** Parses the cursor of a line of `/batches`; returns an issue for any other text. */
export function readBatchCursor(text: string): LogPosition | Issue {
  const [, ms, id] = /^b1_(\d{1,15})_(\d{1,19})$/.exec(text) ?? [];
  if (ms === undefined || id === undefined || Number(ms) > ALL_TIME.to.getTime() || !fitsInt64(BigInt(id)))
    return cursorIssue(text);
  return { receivedOn: new Date(Number(ms)), id: BigInt(id) };
}

export interface ProfilePosition {
  readonly environment: Environment;
  readonly mpid: bigint;
}

export const profileCursor = ({ environment, mpid }: ProfilePosition): string =>
  `p1_${ENVIRONMENT_NUMBER[environment]}_${mpid}`;

/** Parses the cursor of a line of `/profiles`; returns an issue for any other text. */
export function readProfileCursor(text: string): ProfilePosition | Issue {
  const [, environment, mpid] = /^p1_([01])_(\d{1,19})$/.exec(text) ?? [];
  if (mpid === undefined || !fitsInt64(BigInt(mpid))) return cursorIssue(text);
  return { environment: environment === '0' ? 'production' : 'development', mpid: BigInt(mpid) };
}

function cursorIssue(text: string): Issue {
  return {
    path: 'cursor',
    message: `${quoteValue(text)} is not a cursor of this export; send the cursor of the last line that you received, unchanged.`,
  };
}

export const isIssue = <Position extends object>(read: Position | Issue): read is Issue => 'message' in read;
