import { type IdentityType, identityTypeOfColumn } from '../../identity/index.ts';
import { AppError, countCharacters } from '../../kernel/index.ts';
import type { Column } from '../../warehouse/index.ts';

/** The role of each column of a user_attributes model (D-100). Positions are indexes into a row. */
export interface ColumnRoles {
  readonly identities: readonly { readonly position: number; readonly type: IdentityType; readonly column: Column }[];
  readonly mpid: number | undefined;
  readonly attributes: readonly { readonly position: number; readonly column: Column }[];
}

export interface AttributeLimits {
  readonly nameChars: number;
  readonly valueChars: number;
}

/** The default bounds of names and values (D-031). */
export const DEFAULT_LIMITS: AttributeLimits = { nameChars: 256, valueChars: 4096 };

/** Throws MODEL_INVALID, with every complaint, when the columns cannot make people. */
export function assignRoles(
  columns: readonly Column[],
  iterator: Column | undefined,
  limits: AttributeLimits,
): ColumnRoles {
  const all = columns.map((column, position) => ({ position, column }));
  const mpids = all.filter(({ column }) => column.name.toLowerCase() === 'mpid');
  const identities = all.flatMap(({ position, column }) => {
    const type = identityTypeOfColumn(column.name);
    return type === undefined ? [] : [{ position, column, type }];
  });
  const reserved = new Set([...mpids, ...identities].map(({ position }) => position));
  const attributes = all.filter(({ column, position }) => column !== iterator && !reserved.has(position));
  const complaints = [
    ...doubled([...mpids.map(({ column }) => ({ column, type: 'mpid' })), ...identities]),
    ...wrongNames(attributes, limits),
    ...(reserved.size === 0 ? [NO_IDENTITY] : []),
  ];
  if (complaints.length > 0) throw new AppError('MODEL_INVALID', complaints.join(' '));
  return { identities, mpid: mpids[0]?.position, attributes };
}

const NO_IDENTITY =
  'The model selects no identity. Name at least one column after an identity or device id, such as customer_id, email ' +
  'or mpid.';

function doubled(reserved: readonly { readonly column: Column; readonly type: string }[]): string[] {
  return [...Map.groupBy(reserved, ({ type }) => type)]
    .filter(([, same]) => same.length > 1)
    .map(([type, same]) => {
      const names = same.map(({ column }) => `"${column.name}"`).join(' and ');
      return `The columns ${names} both mean the identity ${type}. Rename or drop one of them.`;
    });
}

function wrongNames(attributes: ColumnRoles['attributes'], limits: AttributeLimits): string[] {
  return attributes.flatMap(({ column: { name } }) => {
    if (name.trim() === '') return ['A column has no name. Give it one with AS.'];
    if (countCharacters(name) > limits.nameChars) {
      return [`The name of the column "${name.slice(0, 40)}…" is over ${limits.nameChars} characters.`];
    }
    return [];
  });
}
