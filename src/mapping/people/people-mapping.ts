import { hash } from 'node:crypto';
import {
  type HashOfRow,
  type Identities,
  type IdentityType,
  isDeviceId,
  type Person,
  type ResolutionScope,
} from '../../identity/index.ts';
import { msOfMicros } from '../../kernel/index.ts';
import type { Column } from '../../warehouse/index.ts';
import { shownValue } from '../cells/failed-row.ts';
import { cellReader } from '../cells/json-cell.ts';
import { HASH_BYTES } from '../cells/row-hash.ts';
import { compileRowIdentities } from '../row-identities.ts';
import type { RefusedRow, Row, UnitCollector, UnitFailure, UnitMapping } from '../unit-mapping.ts';
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
    identitiesOf: rowIdentities(plan),
    refusalOf: (row, failure) => refusalOf(plan, row, failure),
  };
}

function rowIdentities({ roles, columns }: PeopleMappingPlan) {
  const { mpid } = roles;
  return compileRowIdentities({
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
    for (let byte = 0; byte < HASH_BYTES; byte++) hashes[byte] = (rows[from + byte] ?? 0) ^ (marks[byte] ?? 0);
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

/** Returns the data of a row about a person as an event batch without events: JSON text for display. */
function batchOfPerson({ mpid, identities, attributes, setAt }: Person, environment: string): string {
  const named = (isWanted: (type: IdentityType) => boolean) =>
    identities.filter(({ type }) => isWanted(type)).map(({ type, value }) => [type, JSON.stringify(value)] as const);
  const values = attributes.names.flatMap((name, index) => {
    const text = attributes.texts[index];
    return text === null || text === undefined ? [] : [[name, text] as const];
  });
  return objectText([
    ...(mpid === undefined ? [] : [['mpid', String(mpid)] as const]),
    ...inside(
      'user_identities',
      named((type) => !isDeviceId(type)),
    ),
    ...inside(
      'device_info',
      named((type) => isDeviceId(type) && type !== OF_BATCH),
    ),
    ...named((type) => type === OF_BATCH),
    ...inside('user_attributes', values),
    ['environment', JSON.stringify(environment)],
    ['timestamp_unixtime_ms', String(msOfMicros(setAt))],
  ]);
}

/** The one device id that stands in the batch itself. */
const OF_BATCH: IdentityType = 'mp_deviceid';

type Field = readonly [name: string, text: string];

function inside(name: string, fields: readonly Field[]): readonly Field[] {
  return fields.length === 0 ? [] : [[name, objectText(fields)]];
}

function objectText(fields: readonly Field[]): string {
  return `{${fields.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`;
}
