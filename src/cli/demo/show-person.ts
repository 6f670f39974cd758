import type { App } from '../../app.ts';
import type { Profile } from '../../identity/index.ts';
import { AppError, type WorkspaceId } from '../../kernel/index.ts';
import type { Output } from '../output.ts';
import { SOMEBODY } from './definition.ts';

/** Returns the one profile that the demo shows. */
export async function readPerson({ store, identities }: App, workspaceId: WorkspaceId): Promise<Profile> {
  const scope = { workspaceId, environment: 'production' } as const;
  const [profile] = await identities.findProfiles(store, scope, { type: 'customer_id', value: SOMEBODY });
  if (profile === undefined) throw new AppError('INTERNAL', `Customer ${SOMEBODY} has no profile.`);
  return profile;
}

/** Shows the profile's MPID and each attribute before and after. */
export function showPerson(before: Profile, after: Profile, output: Output): void {
  const was = new Map(before.attributes.map(({ name, value }) => [name, value]));
  const rows = [
    { '   attribute': '   mpid', before: before.mpid, after: after.mpid },
    ...after.attributes.map(({ name, value }) => ({
      '   attribute': `   ${name}`,
      before: was.get(name),
      after: value,
    })),
  ];
  output.rows(['   attribute', 'before', 'after'], rows);
}
