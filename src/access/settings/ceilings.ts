// What the operator of an installation allows the admins of workspaces to set.
import { AppError, type Issue } from '../../kernel/index.ts';
import type { SettingsBody, SettingsDocument } from '../contract/settings.ts';
import { DEFAULT_SETTINGS } from './settings.ts';

/** The most that a limit of a workspace may be, by its name on the wire; absent: what the contract says. */
export type Ceilings = Readonly<Record<string, number>>;

/** Throws CONFIG_INVALID for a name that is no limit. */
export function requireKnownLimits(ceilings: Ceilings): void {
  const known = Object.keys(DEFAULT_SETTINGS.limits);
  const unknown = Object.keys(ceilings).filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  const message = `PENSTOCK_LIMIT_CEILINGS: ${unknown.join(', ')} is no limit; known are ${known.join(', ')}.`;
  throw new AppError('CONFIG_INVALID', message);
}

/** Complaints about what a body sets above the ceilings; what it leaves out is clamped instead. */
export function ceilingIssues({ limits = {} }: SettingsBody, ceilings: Ceilings): readonly Issue[] {
  const bounds = boundBatches(ceilings);
  return Object.entries(limits).flatMap(([name, value]) => {
    const most = bounds[name];
    if (most === undefined || value <= most) return [];
    const message = `is ${value}; the operator of this installation allows at most ${most} (PENSTOCK_LIMIT_CEILINGS).`;
    return [{ path: `limits.${name}`, message }];
  });
}

/** The settings as they hold: a limit that was stored above its ceiling, or has a higher default, is at the ceiling. */
export function clampLimits(document: SettingsDocument, ceilings: Ceilings): SettingsDocument {
  const limits = { ...document.limits };
  for (const [name, most] of Object.entries(boundBatches(ceilings))) {
    if (isLimit(limits, name)) limits[name] = Math.min(limits[name], most);
  }
  return { ...document, limits };
}

/** A request holds whole batches: its ceiling holds for a batch, too, or no default of a batch would fit below it. */
function boundBatches(ceilings: Ceilings): Ceilings {
  const { request_bytes: request, batch_bytes: batch = request } = ceilings;
  if (request === undefined || batch === undefined) return ceilings;
  return { ...ceilings, batch_bytes: Math.min(batch, request) };
}

function isLimit(limits: SettingsDocument['limits'], name: string): name is keyof SettingsDocument['limits'] {
  return Object.hasOwn(limits, name);
}
