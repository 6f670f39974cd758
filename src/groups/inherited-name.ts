import type { GroupAttribute, GroupDefinition } from './definition.ts';

/** What the members' profiles call a group attribute (002: `<group_id>:<attribute_id>`). */
export function inheritedName({ id }: Pick<GroupDefinition, 'id'>, attribute: Pick<GroupAttribute, 'id'>): string {
  return `${id}:${attribute.id}`;
}
