import { type Identity, namesNobody, type Person } from '../../identity/index.ts';
import type { Micros } from '../../kernel/index.ts';
import type { Cell, Column } from '../../warehouse/index.ts';
import type { IteratorAxis } from '../iterator-axis.ts';
import { type CellWriter, compileCellWriter } from './cell-text.ts';
import type { AttributeLimits, ColumnRoles } from './column-roles.ts';
import { shownValue } from './failed-row.ts';
import { type IdentityFault, identityOf, mpidOf } from './identity-cell.ts';
import { cellReader } from './json-cell.ts';
import type { Refusal } from './refusal.ts';

/** One row → one person, or why not. Compiled once a run: nothing is looked up by name per row (1.2 to 1.8 µs for 10 columns). */
export type RowMapper = (row: readonly Cell[]) => Person | Refusal;

export interface MapperPlan {
  readonly columns: readonly Column[];
  readonly roles: ColumnRoles;
  readonly limits: AttributeLimits;
  /** Gives a row's time; without it, or where the cell has none, attributes were set when the run began. */
  readonly iterator: { readonly column: Column; readonly axis: IteratorAxis } | undefined;
  readonly runStart: Micros;
}

export function isRefusal(mapped: Person | Refusal): mapped is Refusal {
  return 'rule' in mapped;
}

/** Rulings §7, Mapping: identities from reserved columns, every other column an attribute, NULL leaves it alone. */
export function compileMapper(plan: MapperPlan): RowMapper {
  const readIdentities = compileIdentities(plan);
  const readMpid = compileMpid(plan);
  const attributes = compileAttributes(plan);
  const readTime = compileTime(plan);
  const { names } = attributes;
  return (row) => {
    const identities = readIdentities(row);
    if ('rule' in identities) return identities;
    const mpid = readMpid(row);
    if (typeof mpid === 'object') return mpid;
    if (identities.length === 0 && mpid === undefined) return NO_IDENTITY;
    const texts = attributes.read(row);
    if ('rule' in texts) return texts;
    const person = { identities, attributes: { names, texts }, setAt: readTime(row) };
    return mpid === undefined ? person : { ...person, mpid };
  };
}

const NO_IDENTITY: Refusal = {
  rule: 'identity_missing',
  field: '',
  value: null,
  reason:
    'All identity columns of the row are NULL or the all-zero id of no device, so it belongs to nobody. Filter such rows in the model.',
};

function compileIdentities({ roles }: MapperPlan): (row: readonly Cell[]) => readonly Identity[] | Refusal {
  const identities = roles.identities.map((role) => ({ ...role, read: cellReader(role.column, role.position) }));
  return (row) => {
    const found: Identity[] = [];
    for (const { read, type, column } of identities) {
      const cell = read(row);
      if (cell === null) continue;
      const identity = identityOf(type, cell);
      if ('rule' in identity) return refusalOf(column, cell, identity);
      if (!namesNobody(identity)) found.push(identity);
    }
    return found;
  };
}

function compileMpid({ roles, columns }: MapperPlan): (row: readonly Cell[]) => bigint | undefined | Refusal {
  const position = roles.mpid;
  if (position === undefined) return () => undefined;
  const read = cellReader(columns[position], position);
  return (row) => {
    const cell = read(row);
    if (cell === null) return undefined;
    const mpid = mpidOf(cell);
    return typeof mpid === 'bigint' ? mpid : refusalOf(columns[position], cell, mpid);
  };
}

interface AttributeReader {
  readonly names: readonly string[];
  read(row: readonly Cell[]): readonly (string | undefined)[] | Refusal;
}

function compileAttributes({ roles, limits }: MapperPlan): AttributeReader {
  const { attributes } = roles;
  const positions = attributes.map(({ position }) => position);
  const writers: readonly CellWriter[] = attributes.map(({ column }) => compileCellWriter(column, limits.valueChars));
  return {
    names: attributes.map(({ column }) => column.name),
    read(row) {
      const texts = new Array<string | undefined>(positions.length);
      for (let index = 0; index < positions.length; index++) {
        const cell = row[positions[index] as number] ?? null;
        if (cell === null) continue;
        const text = (writers[index] as CellWriter)(cell);
        if (typeof text === 'object') return refusalOf(attributes[index]?.column, cell, text);
        texts[index] = text;
      }
      return texts;
    },
  };
}

function compileTime({ iterator, columns, runStart }: MapperPlan): (row: readonly Cell[]) => Micros {
  if (iterator === undefined) return () => runStart;
  const position = columns.indexOf(iterator.column);
  const { axis } = iterator;
  return (row) => axis.instantOf(row[position] ?? null) ?? runStart;
}

function refusalOf(
  column: Column | undefined,
  cell: Cell,
  fault: IdentityFault | { readonly rule: string; readonly reason: string },
): Refusal {
  return { rule: fault.rule, field: column?.name ?? '', value: shownValue(cell), reason: fault.reason };
}
