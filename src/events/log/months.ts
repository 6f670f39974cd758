/** A calendar month of UTC, the unit into which the log is divided. */
export interface Month {
  /** Its first instant. */
  readonly start: Date;
  /** The first instant of the next one. */
  readonly end: Date;
}

/** Returns the month that lies `ahead` months after the one of `timeMs`. */
export function monthOf(timeMs: number, ahead = 0): Month {
  const time = new Date(timeMs);
  const firstOf = (month: number) => new Date(Date.UTC(time.getUTCFullYear(), month, 1));
  return { start: firstOf(time.getUTCMonth() + ahead), end: firstOf(time.getUTCMonth() + ahead + 1) };
}
