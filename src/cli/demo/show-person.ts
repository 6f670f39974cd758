import type { App } from '../../app.ts';
import type { Profile } from '../../identity/index.ts';
import { formatMicros, type WorkspaceId } from '../../kernel/index.ts';
import type { Output } from '../output.ts';
import { SOMEBODY } from './definition.ts';

/** Shows one profile with its attributes and when each was set. */
export async function showPerson(
  { store, identities }: Pick<App, 'store' | 'identities'>,
  workspaceId: WorkspaceId,
  output: Output,
): Promise<void> {
  const scope = { workspaceId, environment: 'production' } as const;
  const found = await identities.findProfiles(store, scope, { type: 'customer_id', value: SOMEBODY });
  for (const profile of found) show(profile, output);
}

function show(profile: Profile, output: Output): void {
  output.line(`\n   Profile ${profile.mpid} of customer_id ${SOMEBODY}:`);
  const rows = profile.attributes.map(({ name, value, setAt }) => ({
    attribute: name,
    value,
    set_at: formatMicros(setAt),
  }));
  output.rows(['attribute', 'value', 'set_at'], rows);
}
