import type { SettingsReader } from '../access/index.ts';
import { createRateLimiter } from '../http/index.ts';
import { AppError, type Clock, isWithin, type WorkspaceId } from '../kernel/index.ts';
import type { Sql } from '../store/index.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Time for which a count is cached; requests created by other daemons and commands count after it. */
const COUNT_MS = 10_000;
const MOST_WORKSPACES = 10_000;

export interface RequestLimits {
  /** Counts one call of the workspace. Throws RATE_LIMITED. */
  admit(workspaceId: WorkspaceId): Promise<void>;
  /** Runs a creation, which counts unless it throws. Throws RATE_LIMITED until the next day once the day's limit is reached. */
  create<Result>(workspaceId: WorkspaceId, work: () => Promise<Result>): Promise<Result>;
}

interface LimitDeps {
  readonly store: Sql;
  readonly clock: Clock;
  readonly settingsOf: SettingsReader;
}

interface Day {
  readonly startMs: number;
  readonly readAtMs: number;
  created: number;
}

/** Creates the limits of requests (D-067). Calls per minute are counted by each daemon, creations per UTC day in the store. */
export function createRequestLimits({ store, clock, settingsOf }: LimitDeps): RequestLimits {
  const calls = createRateLimiter({ clock, windowMs: MINUTE_MS });
  const days = new Map<WorkspaceId, Day>();
  const today = async (workspaceId: WorkspaceId): Promise<Day> => {
    const nowMs = clock.nowMs();
    const startMs = nowMs - (nowMs % DAY_MS);
    const kept = days.get(workspaceId);
    if (kept?.startMs === startMs && isWithin(clock, kept.readAtMs, COUNT_MS)) return kept;
    const created = await countCreated(store, workspaceId, new Date(startMs));
    const day = { startMs, readAtMs: nowMs, created };
    if (days.size >= MOST_WORKSPACES) days.clear();
    days.set(workspaceId, day);
    return day;
  };
  return {
    async admit(workspaceId) {
      const { limits } = await settingsOf(workspaceId);
      const { isAllowed, retryAfterSeconds } = calls.take(String(workspaceId), 1, limits.subjectRequestsPerMinute);
      if (isAllowed) return;
      const message = `This workspace accepts ${limits.subjectRequestsPerMinute} calls of this API per minute; wait as long as Retry-After says.`;
      throw new AppError('RATE_LIMITED', message, { retryAfterSeconds });
    },
    async create(workspaceId, work) {
      const { limits } = await settingsOf(workspaceId);
      const day = await today(workspaceId);
      if (day.created >= limits.subjectRequestsPerDay) {
        const message = `This workspace accepts ${limits.subjectRequestsPerDay} new subject requests per day (UTC); wait as long as Retry-After says.`;
        const retryAfterSeconds = (day.startMs + DAY_MS - clock.nowMs()) / 1000;
        throw new AppError('RATE_LIMITED', message, { retryAfterSeconds });
      }
      // counted before the work: of requests that arrive together, only one may take the last place
      day.created += 1;
      try {
        return await work();
      } catch (error) {
        day.created -= 1;
        throw error;
      }
    },
  };
}

async function countCreated(store: Sql, workspaceId: WorkspaceId, since: Date): Promise<number> {
  const [row] = await store.query<{ readonly created: bigint }>(
    'SELECT count(*) AS created FROM dsr_requests WHERE workspace_id = $1 AND received_on >= $2',
    [workspaceId, since],
  );
  return Number(row?.created ?? 0);
}
