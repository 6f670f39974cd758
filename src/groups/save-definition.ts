import { eq } from 'drizzle-orm';
import { recordChange } from '../access/index.ts';
import type { Caller } from '../http/index.ts';
import { AppError, type WorkspaceId } from '../kernel/index.ts';
import type { Transaction } from '../store/index.ts';
import { type CheckedDefinition, checkDefinition, type GivenDefinition, unprocessable } from './check-definition.ts';
import { findDefinition, type GroupDefinition, loadDefinition } from './definition.ts';
import { lockGroups } from './group-lock.ts';
import type { GroupsDeps } from './groups-deps.ts';
import { inheritedName } from './inherited-name.ts';
import { groupDefinitions } from './tables.ts';
import { withdrawAll, withdrawAttributes } from './withdraw.ts';

/** Creates the definition. Throws UNPROCESSABLE for broken limits and for a second definition. */
export async function createDefinition(
  { store, clock }: GroupsDeps,
  { workspaceId, actor }: Caller,
  body: GivenDefinition,
): Promise<GroupDefinition> {
  const checked = checkDefinition(body);
  const now = new Date(clock.nowMs());
  return store.transaction(async (tx) => {
    await lockGroups(tx, workspaceId);
    const other = await findDefinition(tx, workspaceId);
    if (other !== undefined) throw second(other.id);
    const audit = { createdOn: now, createdBy: actor, lastModifiedOn: now, lastModifiedBy: actor };
    const values = { ...columnsOf(checked), workspaceId, id: checked.id, revision: 1, ...audit };
    const [row] = await tx.orm.insert(groupDefinitions).values(values).returning();
    const definition = present(row);
    await recordChange(tx, {
      workspaceId,
      occurredOn: now,
      actor,
      action: 'group.created',
      resource: `group/${definition.id}`,
      detail: shown(definition),
    });
    return definition;
  });
}

function second(id: string): AppError {
  const message = `this workspace already has the group definition "${id}"; at most 1 is allowed, so PUT that one or DELETE it first`;
  return unprocessable([{ path: 'id', message }]);
}

/** A function that makes the new definition from the stored one. */
export type Edit = (before: GroupDefinition) => GivenDefinition;

/** Returns the edit of a PUT: it replaces everything but the id. */
export function replacement(body: Omit<GivenDefinition, 'id'> & { readonly id?: string }): Edit {
  return (before) => {
    if (body.id !== undefined && body.id !== before.id) {
      throw unprocessable([{ path: 'id', message: `must be "${before.id}", the id in the path; ids never change` }]);
    }
    return { ...body, id: before.id };
  };
}

/** Returns the edit of a PATCH: it adds attributes, or replaces those with the same id in their place (D-072). */
export function patch({ attributes }: Pick<GivenDefinition, 'attributes'>): Edit {
  return ({ id, description, sourceUserAttribute, attributes: before }) => {
    checkDefinition({ id, description, source_user_attribute: sourceUserAttribute, attributes });
    const merged = new Map([...before, ...attributes].map((attribute) => [attribute.id, attribute]));
    return { id, description, source_user_attribute: sourceUserAttribute, attributes: [...merged.values()] };
  };
}

/** Changes the definition. Attributes that it no longer has leave the profiles at once. Throws NOT_FOUND and UNPROCESSABLE. */
export async function changeDefinition(
  { store, clock }: GroupsDeps,
  { workspaceId, actor }: Caller,
  { id, edit }: { readonly id: string; readonly edit: Edit },
): Promise<GroupDefinition> {
  const now = new Date(clock.nowMs());
  return store.transaction(async (tx) => {
    await lockGroups(tx, workspaceId);
    const before = await loadDefinition(tx, { workspaceId, id });
    const after = checkDefinition(edit(before));
    const isSame = JSON.stringify(groupingOf(before)) === JSON.stringify(groupingOf(after));
    const revision = before.revision + (isSame ? 0 : 1);
    const [row] = await tx.orm
      .update(groupDefinitions)
      .set({ ...columnsOf(after), revision, lastModifiedOn: now, lastModifiedBy: actor })
      .where(eq(groupDefinitions.workspaceId, workspaceId))
      .returning();
    await withdrawRemoved(tx, workspaceId, { before, after });
    const definition = present(row);
    await recordChange(tx, {
      workspaceId,
      occurredOn: now,
      actor,
      action: 'group.updated',
      resource: `group/${id}`,
      detail: { before: shown(before), after: shown(definition) },
    });
    return definition;
  });
}

interface Step {
  readonly before: GroupDefinition;
  readonly after: CheckedDefinition;
}

// Withdraws from the profiles, before the next run, what the definition no longer says: the groups of another
// attribute, or a sum that is called an average now, would be wrong for a week.
async function withdrawRemoved(tx: Transaction, workspaceId: WorkspaceId, { before, after }: Step): Promise<void> {
  if (before.sourceUserAttribute !== after.sourceUserAttribute) return withdrawAll(tx, workspaceId);
  const isKept = ({ id, type }: Step['before']['attributes'][number]) =>
    after.attributes.some((other) => other.id === id && other.type === type);
  const gone = before.attributes.filter((attribute) => !isKept(attribute));
  if (gone.length === 0) return;
  await withdrawAttributes(
    tx,
    workspaceId,
    gone.map((attribute) => inheritedName(before, attribute)),
  );
}

const groupingOf = ({ sourceUserAttribute, attributes }: CheckedDefinition) => ({ sourceUserAttribute, attributes });

function columnsOf({ description, sourceUserAttribute, attributes }: CheckedDefinition) {
  return { description, sourceUserAttribute, attributes };
}

const shown = ({ description, sourceUserAttribute, attributes }: GroupDefinition) => ({
  description,
  source_user_attribute: sourceUserAttribute,
  attributes,
});

function present<Row>(row: Row | undefined): Row {
  if (row === undefined) throw new AppError('INTERNAL', 'The group definition was deleted while it was locked.');
  return row;
}
