import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDefinition } from '../../../src/groups/save-definition.ts';
import { systemClock, workspaceId } from '../../../src/kernel/index.ts';
import { deliver, person, SCOPE } from '../../support/people/deliver-people.ts';
import { type CliStore, openCliStore } from '../../support/runner/cli-store.ts';

const WORKSPACE = workspaceId(1n);

let cli: CliStore;
beforeAll(async () => {
  cli = await openCliStore();
  await cli.penstock.json('init');
  const people = ['a', 'b', 'c'].map((id) => person({ customer_id: id }, { company: '"Acme"', revenue: '1.5' }));
  await deliver(cli.store, people, { ...SCOPE, workspaceId: WORKSPACE });
});
afterAll(() => cli[Symbol.asyncDispose]());

test('run says that there is nothing to run, and how to make a definition', async () => {
  const { code, err } = await cli.penstock.run('groups', 'run');
  expect({ code, err }).toEqual({
    code: 2,
    err: 'Workspace 1 has no group definition; POST one to /platform/workspaces/1/groups/ first.\n',
  });
});

test('run finds the groups without a daemon and reports what it did', async () => {
  await createDefinition(
    { store: cli.store, clock: systemClock, jobs: { enqueue: async () => undefined } },
    { workspaceId: WORKSPACE, actor: 'test' },
    { id: 'acme', description: '', source_user_attribute: 'company', attributes: [{ id: 'revenue', type: 'sum' }] },
  );
  const { code, out, err } = await cli.penstock.run('groups', 'run');
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toMatch(/^status +success$/m);
  expect(out).toMatch(/^members +3$/m);
  expect(out).toMatch(/^production +3 +1 +3 +0 +3$/m);
  expect(out).toMatch(/^development +0 +0 +0 +0 +0$/m);
});

test('runs and show read the reports', async () => {
  const again = await cli.penstock.json('groups', 'run');
  expect(again).toMatchObject({ id: 2, type: 'on_demand', status: 'success', groups: 1, changed_profiles: 0 });
  expect(await cli.penstock.json('groups', 'show', '2')).toEqual(again);
  const rows = await cli.penstock.json<readonly { id: number }[]>('groups', 'runs', '--limit', '1');
  expect(rows).toEqual([again]);
  const { out } = await cli.penstock.run('groups', 'runs');
  expect(out).toMatch(/^2 +on_demand +success +\S+ +\d+\.\d +1 +3 +0 +0$/m);
  expect((await cli.penstock.run('groups', 'show', '9')).code).toBe(2);
});

test('a daemon finds nothing left of what the command did', async () => {
  const app = await cli.startApp();
  const { members } = (await cli.penstock.json('groups', 'run')) as { members: number };
  expect(members).toBe(3);
  expect(app.jobs.isRunning).toBe(true);
});
