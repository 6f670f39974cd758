import type { MeasuredStep } from './measure-step.ts';

/** Name of the step that all rows of the table cost at least. */
export const FLOOR = 'floor: COPY to COPY';

/** A line of the printed table. */
type Line = Readonly<Record<string, string | number>>;

/**
 * Returns one line a step with the medians over all rounds. Ratios are of rates, above 1 where the step is the faster one;
 * each is taken within a round first.
 */
export function compareSteps(rounds: readonly (readonly MeasuredStep[])[]): readonly Line[] {
  const [first = []] = rounds;
  return first.map(({ name, task }) => {
    const steps = rounds.map((round) => round.find((step) => step.name === name) ?? missing(name));
    const middle = (pick: (step: MeasuredStep) => number) => median(steps.map(pick));
    const perRow = (pick: (step: MeasuredStep) => number) => rounded(middle((step) => pick(step) / step.rows));
    const against = (other: string) => {
      const ratios = rounds.map((round, index) => ratioIn(round, steps[index] ?? missing(name), other));
      return rounded(median(ratios));
    };
    return {
      ...{ step: name, rows: middle(({ rows }) => rows), seconds: rounded(middle(({ seconds }) => seconds)) },
      'rows/s': Math.round(middle(({ rows, seconds }) => rows / seconds)),
      'µs own': perRow(({ ownMicros }) => ownMicros),
      'µs warehouse': perRow(({ warehouseMicros }) => warehouseMicros),
      'µs store': perRow(({ storeMicros }) => storeMicros),
      'µs in all': perRow((step) => step.ownMicros + step.warehouseMicros + step.storeMicros),
      'peak MB': middle(({ peakMb }) => peakMb),
      '× Sling': against(`Sling: ${task}`),
      '× floor': task === 'changes' ? '' : against(FLOOR),
      'others, cores': rounded(middle(({ othersCores }) => othersCores)),
    };
  });
}

function ratioIn(round: readonly MeasuredStep[], { rows, seconds }: MeasuredStep, other: string): number {
  const reference = round.find((step) => step.name === other) ?? missing(other);
  return (rows / seconds) * (reference.seconds / reference.rows);
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2;
}

const rounded = (value: number) => Number(value.toFixed(2));

function missing(name: string): never {
  throw new Error(`A round lacks the step "${name}".`);
}
