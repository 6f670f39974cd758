import { expect, test } from 'vitest';
import { PreparedStatements } from '../../../src/store/prepared-statements.ts';

function statementsAt(startMs: number) {
  const clock = { ms: startMs, nowMs: () => clock.ms };
  return { clock, statements: new PreparedStatements(clock) };
}

test('a text is prepared at its second use within a second, and used under its name from then on', () => {
  const { statements } = statementsAt(0);
  expect(statements.prepare('SELECT $1', '')).toEqual({ name: '', isNew: true, dropped: [] });
  const second = statements.prepare('SELECT $1', '');
  expect(second).toEqual({ name: expect.stringMatching(/^penstock_[\w-]{22}$/), isNew: true, dropped: [] });
  expect(statements.prepare('SELECT $1', '')).toEqual({ ...second, isNew: false });
});

test('a plan is dropped a second after the first use of its text, and when the clock was set back', () => {
  for (const later of [1000, -1]) {
    const { clock, statements } = statementsAt(5000);
    statements.prepare('SELECT $1', '');
    const { name } = statements.prepare('SELECT $1', '');
    clock.ms += later;
    expect(statements.prepare('SELECT $1', '')).toEqual({ name: '', isNew: true, dropped: [name] });
    expect(statements.prepare('SELECT $1', '')).toEqual({ name, isNew: true, dropped: [] });
  }
});

test('a plan that was made under other settings of the planner is another one', () => {
  const { statements } = statementsAt(0);
  const nameUnder = (planning: string) => {
    statements.prepare('SELECT $1', planning);
    return statements.prepare('SELECT $1', planning).name;
  };
  expect(nameUnder('SET LOCAL enable_seqscan = off')).not.toBe(nameUnder(''));
});

test('a session remembers 64 texts, and the oldest gives way', () => {
  const { statements } = statementsAt(0);
  const use = (index: number) => statements.prepare(`SELECT $1 + ${index}`, '');
  const names = Array.from({ length: 64 }, (_, index) => [use(index), use(index)].at(-1)?.name);
  expect(use(64).dropped).toEqual([names[0]]);
  expect(use(1)).toMatchObject({ name: names[1], isNew: false });
});

test('after an error every name is dropped before the next statement, whatever the server has taken', () => {
  const { statements } = statementsAt(0);
  const texts = ['SELECT $1', 'SELECT $1 + 1'];
  const names = [...texts, ...texts].map((text) => statements.prepare(text, '').name).filter(Boolean);
  statements.forgetAll();
  expect(statements.prepare('SELECT $1', '')).toEqual({ name: '', isNew: true, dropped: names });
});
