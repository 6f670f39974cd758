import { type Micros, microsOfMs, parseInstant } from '../../kernel/index.ts';

const DATE =
  /^(?<year>\d{4})(?:(?:-(?<monthAlone>\d\d))|-?(?<month>\d\d)-?(?<day>\d\d)|-?W(?<week>\d\d)(?:-?(?<weekday>[1-7]))?|-?(?<ordinal>\d{3}))?$/i;
const TIME =
  /^(?<hour>\d\d)(?::?(?<minute>\d\d)(?::?(?<second>\d\d)(?:[.,](?<fraction>\d+))?)?)?(?<zone>Z|[+-]\d\d(?::?\d\d)?)?$/i;
const DAY_MS = 86_400_000;

/**
 * Returns the microseconds of an ISO 8601 date or time, extended or basic, with a calendar, week or ordinal date. A date means
 * its first moment, and text without a zone is UTC. Returns undefined for other text and for days that do not exist.
 */
export function parseSubmittedTime(text: string): Micros | undefined {
  const [, date = '', time] = /^([^T ]+)(?:[T ](.+))?$/i.exec(text.trim()) ?? [];
  const day = readDay(DATE.exec(date)?.groups);
  if (day === undefined) return undefined;
  if (time === undefined) return parseInstant(`${day}T00:00:00Z`);
  const found = TIME.exec(time)?.groups;
  if (found === undefined) return undefined;
  const isEndOfDay = /^24:00:00\.0*Z?$/.test(wallOf({ ...found, zone: '' }));
  const micros = parseInstant(`${day}T${wallOf(isEndOfDay ? { ...found, hour: '00' } : found)}`);
  return micros === undefined || !isEndOfDay ? micros : micros + microsOfMs(DAY_MS);
}

type Groups = Readonly<Record<string, string | undefined>>;

/** Formats a time of day. A leap second counts as the second before it. */
function wallOf({ hour, minute = '00', second = '00', fraction = '0', zone = 'Z' }: Groups): string {
  return `${hour}:${minute}:${second === '60' ? '59' : second}.${fraction.slice(0, 6)}${zone}`;
}

/** Returns a day as `YYYY-MM-DD`; parsing it checks later that the month has it. */
function readDay(groups: Groups | undefined): string | undefined {
  if (groups === undefined) return undefined;
  const { year = '', week, ordinal } = groups;
  if (week !== undefined) return dayOfWeek(year, Number(week), Number(groups.weekday ?? '1'));
  if (ordinal !== undefined) return dayOfYear(year, Number(ordinal));
  return `${year}-${groups.month ?? groups.monthAlone ?? '01'}-${groups.day ?? '01'}`;
}

const newYear = (year: string): number => Date.parse(`${year}-01-01T00:00:00Z`);

function dayOfYear(year: string, ordinal: number): string | undefined {
  const day = isoDay(newYear(year) + (ordinal - 1) * DAY_MS);
  return day.startsWith(year) ? day : undefined;
}

/** Returns the day of an ISO week: the first week holds January 4, and the Thursday of a week lies in its year. */
function dayOfWeek(year: string, week: number, weekday: number): string | undefined {
  const fourth = newYear(year) + 3 * DAY_MS;
  const monday = fourth - ((new Date(fourth).getUTCDay() + 6) % 7) * DAY_MS + (week - 1) * 7 * DAY_MS;
  return isoDay(monday + 3 * DAY_MS).startsWith(year) ? isoDay(monday + (weekday - 1) * DAY_MS) : undefined;
}

const isoDay = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
