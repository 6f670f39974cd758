import { expect, it } from 'vitest';
import { compareSteps, FLOOR } from '../../../bench/support/peers/compare-steps.ts';
import type { MeasuredStep } from '../../../bench/support/peers/measure-step.ts';

type Task = MeasuredStep['task'];

function step(name: string, task: Task, seconds: number): MeasuredStep {
  const micros = { ownMicros: seconds * 1000, warehouseMicros: 200, storeMicros: 300 };
  return { ...{ name, task, rows: 100, seconds, ...micros }, peakMb: seconds * 10, othersCores: 0.25 };
}

/** Returns a round in which all take `scale` times as long. */
function round(scale: number, penstockSeconds: number): readonly MeasuredStep[] {
  return [
    step(FLOOR, 'full', 0.5 * scale),
    step('Sling: full', 'full', 2 * scale),
    step('Penstock: full', 'full', penstockSeconds * scale),
    step('Sling: changes', 'changes', 4 * scale),
    step('Penstock: changes', 'changes', 1 * scale),
  ];
}

const lineOf = (name: string, rounds: readonly (readonly MeasuredStep[])[]) =>
  compareSteps(rounds).find((line) => line.step === name);

it('gives medians of all rounds, and CPU a row', () => {
  const line = lineOf('Penstock: full', [round(1, 4), round(10, 8), round(1, 1)]);
  expect(line).toMatchObject({ rows: 100, seconds: 4, 'rows/s': 25, 'µs own': 40, 'µs in all': 45, 'peak MB': 40 });
});

it('compares rates within a round, so that a slow round does not count', () => {
  const line = lineOf('Penstock: full', [round(1, 4), round(50, 4), round(1, 4)]);
  expect(line).toMatchObject({ '× Sling': 0.5, '× floor': 0.13 });
});

it('compares changes with the changes of Sling, and with no floor', () => {
  expect(lineOf('Penstock: changes', [round(1, 4), round(2, 4)])).toMatchObject({ '× Sling': 4, '× floor': '' });
});

it('names a step that a round lacks', () => {
  expect(() => compareSteps([round(1, 4), round(1, 4).slice(0, 2)])).toThrow(
    'A round lacks the step "Penstock: full".',
  );
});
