import type { Identities, Person, ResolutionScope } from '../../identity/index.ts';
import type { Column } from '../../warehouse/index.ts';
import { batchOfPerson } from './batch-of-person.ts';
import type { ColumnRoles } from './column-roles.ts';
import { isRefusal, type RowMapper } from './compile-mapper.ts';
import { shownValue } from './failed-row.ts';
import type { MappedRows, RefusedRow, Row, UnitFailure, UnitMapping } from './unit-mapping.ts';

export interface PeopleMappingPlan {
  readonly identities: Identities;
  readonly scope: ResolutionScope;
  readonly columns: readonly Column[];
  readonly roles: ColumnRoles;
  readonly mapRow: RowMapper;
}

/** user_attributes pipelines: each row that is accepted is a unit of its own, a person. */
export function createPeopleMapping(plan: PeopleMappingPlan): UnitMapping {
  const { identities, scope, mapRow } = plan;
  return {
    async map(rows): Promise<MappedRows> {
      const accepted: Row[] = [];
      const refused: RefusedRow[] = [];
      const prepared = await identities.prepare(scope, mapPeople(mapRow, rows, { accepted, refused }));
      return {
        rows: accepted,
        starts: Int32Array.from({ length: accepted.length + 1 }, (_, unit) => unit),
        refused,
        batchTexts: () => {
          const people = mapPeople(mapRow, accepted, { accepted: [], refused: [] });
          return Array.from(people, (person) => batchOfPerson(person, scope.environment));
        },
        deliver: async (tx, exclusive) => (await identities.deliver(tx, prepared, exclusive)).outcomes,
      };
    },
    refusalOf: (row, failure) => refusalOf(plan, row, failure),
  };
}

/** One by one, as they are asked for: a person need not live longer than it takes to prepare it. */
function* mapPeople(
  mapRow: RowMapper,
  rows: readonly Row[],
  { accepted, refused }: { readonly accepted: Row[]; readonly refused: RefusedRow[] },
): Generator<Person, void, undefined> {
  for (const row of rows) {
    const result = mapRow(row);
    if (isRefusal(result)) refused.push({ row, refusal: result });
    else {
      accepted.push(row);
      yield result;
    }
  }
}

function refusalOf({ roles, columns }: PeopleMappingPlan, row: Row, { rule, field, reason }: UnitFailure) {
  const position = field === 'mpid' ? roles.mpid : roles.identities.find(({ type }) => type === field)?.position;
  if (position === undefined) return { rule, field, value: null, reason };
  return { rule, field: columns[position]?.name ?? field, value: shownValue(row[position] ?? null), reason };
}
