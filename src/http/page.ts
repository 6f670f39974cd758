import { type Static, Type } from 'typebox';
import { type Issue, msOfMicros, parseInstant, refuse } from '../kernel/index.ts';

const DAY_MS = 86_400_000;
const LAST_MS = Date.parse('9999-12-31T23:59:59.999Z');
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const SIZE = 100;

const bound = (description: string) => Type.Optional(Type.String({ description }));

/** Bounds in time, inclusive (D-011). */
export const TimesQuery = {
  startDate: bound('Oldest time to list: ISO 8601 with a zone, or a day of UTC.'),
  endDate: bound('Newest time to list: ISO 8601 with a zone, or a day of UTC, which counts to its end.'),
};

/** Paging of lists: pages count from 1, hold 100 items by default, and have inclusive bounds (D-011). */
export const PageQuery = Type.Object({
  currentPage: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647, default: 1 })),
  pageSize: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: SIZE })),
  ...TimesQuery,
});
type PageQuery = Static<typeof PageQuery>;

export interface Times {
  /** Bounds in time, both inclusive, to the millisecond. */
  readonly from: Date | undefined;
  readonly to: Date | undefined;
}

export interface Page extends Times {
  readonly limit: number;
  readonly offset: number;
}

/** Reads the page that a query asks for. Throws VALIDATION_FAILED that names the bound that is no time. */
export function readPage(query: PageQuery): Page {
  const limit = query.pageSize ?? SIZE;
  return { limit, offset: ((query.currentPage ?? 1) - 1) * limit, ...readTimes(query) };
}

/** Reads the bounds in time. Throws VALIDATION_FAILED that names the bound that is no time. */
export function readTimes(query: { readonly [Name in keyof typeof TimesQuery]?: string | undefined }): Times {
  const issues: Issue[] = [];
  const times = {
    from: readBound('startDate', query.startDate, issues)?.first,
    to: readBound('endDate', query.endDate, issues)?.last,
  };
  if (issues.length > 0) throw refuse(issues);
  return times;
}

function readBound(path: string, text: string | undefined, issues: Issue[]): { first: Date; last: Date } | undefined {
  if (text === undefined) return undefined;
  const wholeDay = DAY.test(text);
  const micros = parseInstant(wholeDay ? `${text}T00:00:00Z` : text);
  if (micros === undefined) {
    issues.push({ path, message: `"${text}" is not a valid time; write it like 2024-01-31T00:00:00Z, or as a day.` });
    return undefined;
  }
  const ms = msOfMicros(micros);
  // rounded up to a millisecond, but not into the year 10000, which the store cannot hold
  const first = new Date(Math.min(msOfMicros(micros + 999n), LAST_MS));
  return { first, last: new Date(wholeDay ? ms + DAY_MS - 1 : ms) };
}
