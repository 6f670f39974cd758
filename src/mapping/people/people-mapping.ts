import { hash } from 'node:crypto';
import type { HashOfRow, Identities, ResolutionScope } from '../../identity/index.ts';
import type { Column } from '../../warehouse/index.ts';
import { shownValue } from '../cells/failed-row.ts';
import { cellReader } from '../cells/json-cell.ts';
import { HASH_BYTES } from '../cells/row-hash.ts';
import type { RefusedRow, Row, UnitCollector, UnitFailure, UnitMapping } from '../unit-mapping.ts';
import { compileWhoInRow } from '../who-in-row.ts';
import { batchOfPerson } from './batch-of-person.ts';
import type { ColumnRoles } from './column-roles.ts';
import { isRefusal, type RowMapper } from './compile-mapper.ts';

export interface PeopleMappingPlan {
  readonly identities: Identities;
  readonly scope: ResolutionScope;
  readonly columns: readonly Column[];
  readonly roles: ColumnRoles;
  readonly mapRow: RowMapper;
  /**
   * Text of everything besides the row that makes its person. Undefined: some column is no part of the person, so that
   * different rows may give the same person.
   */
  readonly mark: string | undefined;
}

/** Creates the mapping of a user_attributes pipeline. Each accepted row is a unit of its own, a person. */
export function createPeopleMapping(plan: PeopleMappingPlan): UnitMapping {
  const hashOf = plan.mark === undefined ? () => undefined : compileHashOf(plan.mark);
  return {
    collect: () => collectPeople(plan, hashOf),
    batchTexts(rows) {
      const people = rows.map(plan.mapRow);
      return people.flatMap((person) => (isRefusal(person) ? [] : [batchOfPerson(person, plan.scope.environment)]));
    },
    whoIn: whoInRow(plan),
    refusalOf: (row, failure) => refusalOf(plan, row, failure),
  };
}

function whoInRow({ roles, columns }: PeopleMappingPlan) {
  const { mpid } = roles;
  return compileWhoInRow({
    identities: roles.identities.map(({ type, column, position }) => ({ type, read: cellReader(column, position) })),
    mpid: mpid === undefined ? undefined : cellReader(columns[mpid], mpid),
  });
}

type HashOf = (hashes: Buffer, index: number) => HashOfRow | undefined;

/** Compiles a hash that differs by row and by mapping, so that a profile recognises the row that last wrote it. */
function compileHashOf(mark: string): HashOf {
  const marks = Buffer.from(hash('sha256', `people\n${mark}`, 'hex'), 'hex');
  const hashes = Buffer.alloc(HASH_BYTES);
  const hashOfRow = { hashes, index: 0 };
  return (rows, index) => {
    const from = index * HASH_BYTES;
    for (let byte = 0; byte < HASH_BYTES; byte++)
      hashes[byte] = (rows[from + byte] as number) ^ (marks[byte] as number);
    return hashOfRow;
  };
}

function collectPeople({ identities, scope, mapRow }: PeopleMappingPlan, hashOf: HashOf): UnitCollector {
  const people = identities.collect(scope);
  const accepted: number[] = [];
  const refused: RefusedRow[] = [];
  const ahead: number[] = [];
  let index = 0;
  return {
    add(row, hashes) {
      const person = mapRow(row);
      if (isRefusal(person)) refused.push({ row, index, refusal: person });
      else {
        if (person.isAhead === true) ahead.push(accepted.length);
        accepted.push(index);
        people.add(person, hashes === undefined ? undefined : hashOf(hashes, index));
      }
      index++;
    },
    finish() {
      const prepared = people.finish();
      return {
        accepted,
        refused,
        ahead,
        starts: Int32Array.from({ length: accepted.length + 1 }, (_, unit) => unit),
        deliver: async (tx, exclusive) => (await identities.deliver(tx, prepared, exclusive)).outcomes,
      };
    },
  };
}

function refusalOf({ roles, columns }: PeopleMappingPlan, row: Row, { rule, field, reason }: UnitFailure) {
  const position = field === 'mpid' ? roles.mpid : roles.identities.find(({ type }) => type === field)?.position;
  if (position === undefined) return { rule, field, value: null, reason };
  return { rule, field: columns[position]?.name ?? field, value: shownValue(row[position] ?? null), reason };
}
