import { SECRET_MASK, Secret, stringifyJson, type WorkspaceId } from '../../kernel/index.ts';
import type { Transaction } from '../../store/index.ts';
import type { Actor } from '../access-deps.ts';
import { auditLog } from '../tables.ts';

export interface Change {
  readonly workspaceId: WorkspaceId;
  readonly occurredOn: Date;
  readonly actor: Actor;
  /** `<kind>.<what happened>`: `connection.created`, `settings.changed`. */
  readonly action: string;
  /** `<kind>/<id>`: `connection/warehouse-1`. */
  readonly resource: string;
  /** Changed values by field. Secret fields are masked here once more. */
  readonly detail: Readonly<Record<string, unknown>>;
}

const SECRET_FIELD = /password|secret$|_key$|^key$|token$|^authorization$/i;
/** Fields that end like a secret and are none: masking them would make the audit log poorer. */
const OPEN_FIELDS: ReadonlySet<string> = new Set(['row_key']);

/** Writes one entry of the audit log in the transaction that makes the change: both are stored, or neither. */
export async function recordChange(tx: Transaction, change: Change): Promise<void> {
  await recordChanges(tx, [change]);
}

/** Records several changes at once, at least one. Looks at a person are recorded the same way (D-024). */
export async function recordChanges(tx: Transaction, changes: readonly Change[]): Promise<void> {
  const entries = changes.map((change) => ({ ...change, detail: stringifyJson(withoutSecrets(change.detail)) }));
  await tx.orm.insert(auditLog).values(entries);
}

/** Returns a copy in which every secret is masked: `Secret` values, and fields whose name marks them as secret. */
export function withoutSecrets(value: unknown): unknown {
  if (value instanceof Secret) return SECRET_MASK;
  if (Array.isArray(value)) return value.map(withoutSecrets);
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, isSecret(name, item) ? SECRET_MASK : withoutSecrets(item)]),
  );
}

function isSecret(name: string, value: unknown): boolean {
  return value !== null && value !== undefined && SECRET_FIELD.test(name) && !OPEN_FIELDS.has(name);
}
