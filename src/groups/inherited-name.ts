import type { GroupAttribute, GroupDefinition } from './definition.ts';

/** Returns the name of a group attribute on the members' profiles: `<group_id>:<attribute_id>` (D-073). */
export function inheritedName({ id }: Pick<GroupDefinition, 'id'>, attribute: Pick<GroupAttribute, 'id'>): string {
  return `${id}:${attribute.id}`;
}
