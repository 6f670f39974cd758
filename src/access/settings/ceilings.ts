// Ceilings: the highest limits that the operator of an installation lets the admins of workspaces set.
import { AppError, type Issue } from '../../kernel/index.ts';
import type { SettingsBody, SettingsDocument } from '../contract/settings.ts';
import { DEFAULT_SETTINGS } from './settings.ts';

/** Highest value of a workspace's limit, by its name in the API; without one, the contract's bound holds. */
export type Ceilings = Readonly<Record<string, number>>;

/** Throws CONFIG_INVALID for a name that is no limit. */
export function requireKnownLimits(ceilings: Ceilings): void {
  const known = Object.keys(DEFAULT_SETTINGS.limits);
  const unknown = Object.keys(ceilings).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const message = `PENSTOCK_LIMIT_CEILINGS: ${unknown.join(', ')} is not a limit; known are ${known.join(', ')}.`;
  throw new AppError('CONFIG_INVALID', message);
}

/** Returns an issue for each limit that a body sets above its ceiling; an absent limit is clamped instead. */
export function ceilingIssues({ limits = {} }: SettingsBody, ceilings: Ceilings): readonly Issue[] {
  const bounds = boundBatches(ceilings);
  return Object.entries(limits).flatMap(([name, value]) => {
    const most = bounds[name];
    if (most === undefined || value <= most) return [];
    const message = `is ${value}; the operator of this installation allows at most ${most} (PENSTOCK_LIMIT_CEILINGS).`;
    return [{ path: `limits.${name}`, message }];
  });
}

/** Returns the effective settings: a limit that is stored, or defaults, above its ceiling is lowered to the ceiling. */
export function clampLimits(document: SettingsDocument, ceilings: Ceilings): SettingsDocument {
  const limits = { ...document.limits };
  for (const [name, most] of Object.entries(boundBatches(ceilings))) {
    if (isLimit(limits, name)) limits[name] = Math.min(limits[name], most);
  }
  return { ...document, limits };
}

/**
 * Lowers the ceiling of a batch to that of a request.
 * A request holds whole batches, and no default of a batch would otherwise fit below its ceiling.
 */
function boundBatches(ceilings: Ceilings): Ceilings {
  const { request_bytes: request, batch_bytes: batch = request } = ceilings;
  if (request === undefined || batch === undefined) return ceilings;
  return { ...ceilings, batch_bytes: Math.min(batch, request) };
}

function isLimit(limits: SettingsDocument['limits'], name: string): name is keyof SettingsDocument['limits'] {
  return Object.hasOwn(limits, name);
}
