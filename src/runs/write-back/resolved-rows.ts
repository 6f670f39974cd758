import { policyOf } from '../../identity/index.ts';
import { itemAt } from '../../kernel/index.ts';
import type { MappedRows, Row, UnitCollector, UnitMapping, UnitOutcome } from '../../mapping/index.ts';
import { assignRoles, compileMapper, createPeopleMapping, DEFAULT_LIMITS, shownValue } from '../../mapping/index.ts';
import type { Column } from '../../warehouse/index.ts';
import type { Execution } from '../read/execution.ts';
import type { RunsDeps } from '../runs-deps.ts';
import type { Addressing } from './address-rows.ts';

export interface ResolvingPlan extends Pick<Execution, 'claimed' | 'settings'> {
  readonly columns: readonly Column[];
  readonly addressing: Addressing;
  /** Called for each row once it is committed, in order. */
  readonly onResolved: (row: Row, mpid: bigint) => void;
}

/**
 * Creates the mapping of a write-back model's rows to people, by their identities alone. The MPID in the row is the one that
 * was written last, and does not identify the person.
 */
export function createResolving(
  { identities, clock }: Pick<RunsDeps, 'identities' | 'clock'>,
  plan: ResolvingPlan,
): UnitMapping {
  const { claimed, settings, columns, addressing } = plan;
  const { workspaceId, snapshot, startedAt: runStart } = claimed;
  const { environment } = snapshot.pipeline;
  const roles = { ...assignRoles(columns, undefined, DEFAULT_LIMITS), mpid: undefined };
  const mapPerson = compileMapper({
    columns,
    roles,
    limits: DEFAULT_LIMITS,
    iterator: undefined,
    runStart,
    nowMs: () => clock.nowMs(),
  });
  const people = createPeopleMapping({
    // a person without new attributes needs no comparison with the stored ones
    identities,
    columns,
    roles,
    scope: { workspaceId, environment, mode: 'incremental', policy: policyOf(settings) },
    mapRow: (row) => {
      if (addressing.readMpidOf(row) === undefined) return wrongMpid(plan, row);
      return !addressing.isWhole && addressing.keyOf(row).every((cell) => cell === null)
        ? keyMissing(plan)
        : mapPerson(row);
    },
    mark: undefined,
  });
  return { ...people, collect: () => collectResolved(people.collect(), plan) };
}

function wrongMpid({ columns, addressing: { mpidAt } }: ResolvingPlan, row: Row) {
  const reason = 'The value of the column MPID is not a whole number of 64 bits. Set it to NULL.';
  return { rule: 'mpid_invalid', field: columns[mpidAt]?.name ?? '', value: shownValue(row[mpidAt] ?? null), reason };
}

function keyMissing({ addressing: { target } }: ResolvingPlan) {
  const names = target.key.map(({ name }) => name).join(', ');
  const reason = `All columns of row_key are NULL (${names}), so the row cannot be found again in the table.`;
  return { rule: 'key_missing', field: '', value: null, reason };
}

function collectResolved(people: UnitCollector, { onResolved }: ResolvingPlan): UnitCollector {
  const rows: Row[] = [];
  return {
    add(row) {
      people.add(row);
      rows.push(row);
    },
    finish(): MappedRows {
      const mapped = people.finish();
      const tell = (outcomes: readonly UnitOutcome[]) => {
        for (const [unit, outcome] of outcomes.entries()) {
          if (!('mpid' in outcome) || outcome.mpid === undefined) continue;
          onResolved(itemAt(rows, itemAt(mapped.accepted, unit)), outcome.mpid);
        }
      };
      return {
        ...mapped,
        async deliver(tx, exclusive) {
          const outcomes = await mapped.deliver(tx, exclusive);
          tx.afterCommit(() => tell(outcomes));
          return outcomes;
        },
      };
    },
  };
}
