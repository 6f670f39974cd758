import { Type } from 'typebox';
import { type Micros, parseInstant } from '../kernel/index.ts';

/** Query parameters of a paged list (rulings §7, API): pages from 1, 100 entries, at most 1,000. */
export const PAGE_QUERY = {
  currentPage: Type.Integer({ minimum: 1, maximum: 1_000_000_000, default: 1, description: 'Page, from 1.' }),
  pageSize: Type.Integer({ minimum: 1, maximum: 1000, default: 100, description: 'Entries a page, at most 1,000.' }),
};

const bound = (description: string) => Type.Optional(Type.String({ format: 'date-or-date-time', description }));

/** Query parameters that bound a list by time, both inclusive (rulings §1). */
export const DATE_BOUNDS_QUERY = {
  startDate: bound('Earliest, inclusive: a day, or a time with a zone.'),
  endDate: bound('Latest, inclusive: a day (all of it), or a time with a zone.'),
};

interface PageQuery {
  readonly currentPage: number;
  readonly pageSize: number;
}

/** LIMIT and OFFSET of a page. */
export function pageOf({ currentPage, pageSize }: PageQuery): { readonly limit: number; readonly offset: number } {
  return { limit: pageSize, offset: (currentPage - 1) * pageSize };
}

interface DateBoundsQuery {
  readonly startDate?: string;
  readonly endDate?: string;
}

const DAY = /^\d{4}-\d{2}-\d{2}$/;

/** The bounds as instants, both inclusive; undefined where none was given. */
export function dateBoundsOf({ startDate, endDate }: DateBoundsQuery): {
  readonly from: Micros | undefined;
  readonly until: Micros | undefined;
} {
  return { from: instantOf(startDate, 'T00:00:00Z'), until: instantOf(endDate, 'T23:59:59.999999Z') };
}

function instantOf(text: string | undefined, timeOfDay: string): Micros | undefined {
  if (text === undefined) return undefined;
  // not shown: a day without a time is a day in UTC
  return parseInstant(DAY.test(text) ? `${text}${timeOfDay}` : text);
}
