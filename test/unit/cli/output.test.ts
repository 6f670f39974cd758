import { describe, expect, test } from 'vitest';
import { createOutput } from '../../../src/cli/output.ts';

function written(json: boolean) {
  const texts: string[] = [];
  const stream = { write: (text: string) => texts.push(text) };
  return { output: createOutput({ out: stream, err: stream, json }), text: () => texts.join('') };
}

const NAME = 'evil \u001b[2J\u009b31mname';

describe('what a command writes', () => {
  test('lets no control character of a name reach the terminal', () => {
    const { output, text } = written(false);
    output.rows(['name'], [{ name: NAME }]);
    output.object({ name: NAME });
    output.line(NAME);
    output.note(NAME);
    expect(text().replaceAll('\n', '')).not.toMatch(/\p{Cc}/u);
    expect(text()).toContain('evil \ufffd[2J\ufffd31mname');
  });

  test('keeps lines, and values as they are for programs', () => {
    const person = written(false);
    person.output.line('one\n\ttwo');
    expect(person.text()).toBe('one\n\ttwo\n');
    const program = written(true);
    program.output.rows(['name'], [{ name: NAME }]);
    expect(JSON.parse(program.text())).toEqual([{ name: NAME }]);
  });

  test('shows a time without quotes', () => {
    const { output, text } = written(false);
    output.rows(['since'], [{ since: new Date('2026-01-15T12:00:00Z') }]);
    expect(text()).toMatch(/^2026-01-15T12:00:00\.000Z$/m);
  });
});
