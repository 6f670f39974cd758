// `penstock dsr` as a privacy officer uses it.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { somebody } from '../../support/apis/dsr-api.ts';
import { type CliStore, openCliStore } from '../../support/runner/cli-store.ts';

type Row = Readonly<Record<string, unknown>>;

let cli: CliStore;
beforeAll(async () => {
  cli = await openCliStore();
  await mkdir(cli.home, { recursive: true });
  await cli.penstock.json('init');
});
afterAll(() => cli[Symbol.asyncDispose]());

const dsr = <Answer = Row>(...args: readonly string[]) => cli.penstock.json<Answer>('dsr', ...args);
const create = async (...args: readonly string[]) =>
  String((await dsr('create', '--identity', `email=${somebody()}`, ...args)).subject_request_id);

describe('create', () => {
  test('enters one request as the API would', async () => {
    const email = somebody();
    const id = 'a7551968-d5d6-44b2-9831-815ac9017798';
    const made = await dsr(
      ...['create', '--id', id, '--type', 'erasure', '--regulation', 'ccpa', '--group', 'spring'],
      ...['--submitted', '2026-01-01T00:00:00Z', '--identity', `email=${email}`, 'mobile_number=+39 06 = 1234'],
    );
    expect(made).toMatchObject({ subject_request_id: id, subject_request_type: 'erasure' });
    const shown = await dsr('show', id);
    expect(shown).toMatchObject({
      ...{ api_version: '3.0', regulation: 'ccpa', group_id: 'spring', request_status: 'pending' },
      ...{ submitted_time: '2026-01-01T00:00:00.000Z', identity_types: ['email', 'mobile_number'], stuck: null },
      created_by: expect.stringMatching(/^cli:/),
    });
    expect(JSON.stringify(shown)).not.toContain(email);
  });

  test('without an identity, with an unknown one or with a wrong one is refused, and says how', async () => {
    const none = await cli.penstock.run('dsr', 'create');
    expect([none.code, none.err]).toEqual([
      2,
      expect.stringContaining('must contain at least one identity of the person'),
    ]);
    const unknown = await cli.penstock.run('dsr', 'create', '--identity', 'passport=X');
    expect(unknown.err).toContain('passport: is not an identity type; use one of controller_customer_id');
    const form = await cli.penstock.run('dsr', 'create', '--identity', 'bob@example.org');
    expect(form.err).toContain('TYPE=VALUE');
    expect(form.err).not.toContain('bob@example.org');
    const both = await cli.penstock.run('dsr', 'create', '--identity', 'mpid=1', 'email=a@x');
    expect(both.err).toContain('An mpid was supplied together with other identities');
    const law = await cli.penstock.run('dsr', 'create', '--regulation', 'lgpd', '--identity', 'email=a@x');
    expect(law.code).toBe(2);
  });

  test('a callback URL that may not be called is refused', async () => {
    const { code, err } = await cli.penstock.run(
      ...['dsr', 'create', '--identity', `email=${somebody()}`, '--callback', 'https://127.0.0.1/x'],
    );
    expect([code, err]).toEqual([2, expect.stringContaining('status_callback_urls[0]')]);
  });

  test('enters each row of a CSV, shows what is refused, and fails then', async () => {
    const file = join(cli.home, 'requests.csv');
    const [first, second] = [somebody(), somebody()];
    const id = 'b7551968-d5d6-44b2-9831-815ac9017798';
    const rows = [
      '\uFEFFid,type,email,other2,group,skip_waiting_period',
      `${id},erasure,${first},"with ""quotes"", and\nlines",spring,yes`,
      `,,${second},,,`,
      ',rectification,c@example.org,,,',
      '',
    ];
    await writeFile(file, rows.join('\r\n'));
    const args = ['dsr', 'create', '--csv', file, '--type', 'access', '--group', 'standard'];
    const { code, out } = await cli.penstock.run('--json', ...args);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject([
      { row: 1, result: 'created', subject_request_id: id, subject_request_type: 'erasure' },
      { row: 2, result: 'created', subject_request_type: 'access' },
      { row: 3, result: 'refused', reason: expect.stringContaining('type: must be one of') },
    ]);
    expect(await dsr('show', id)).toMatchObject({
      ...{ group_id: 'spring', skip_waiting_period: true, identity_types: ['email', 'other2'] },
    });
    expect(await dsr<readonly Row[]>('list', '--group', 'standard')).toHaveLength(1);
    // the same file again: nobody is entered twice
    const again = JSON.parse((await cli.penstock.run('--json', ...args)).out) as readonly Row[];
    expect(again.map(({ reason }) => reason)).toEqual([
      'Subject request already exists.',
      expect.stringContaining('is in progress; wait until it ends'),
      expect.stringContaining('type: must be one of'),
    ]);
  });

  test('a CSV that is none is refused as a whole', async () => {
    const file = join(cli.home, 'broken.csv');
    for (const [text, words] of [
      ['', 'is empty'],
      ['email\na"b\n', 'Line 2'],
      ['email\na@x,b@x\n', 'Row 1'],
    ] as const) {
      await writeFile(file, text);
      const { code, err } = await cli.penstock.run('dsr', 'create', '--csv', file);
      expect([code, err]).toEqual([2, expect.stringContaining(words)]);
    }
    expect((await cli.penstock.run('dsr', 'create', '--csv', '/nowhere.csv')).code).toBe(2);
  });
});

describe('with a request', () => {
  let id: string;
  beforeEach(async () => {
    id = await create('--group', 'looked-at');
  });

  test('list shows the newest first, by status and group', async () => {
    const newest = await create('--type', 'access');
    const rows = await dsr<readonly Row[]>('list', '--limit', '1');
    expect(rows.map((row) => row.subject_request_id)).toEqual([newest]);
    const ids = async (...args: readonly string[]) =>
      (await dsr<readonly Row[]>('list', ...args)).map((row) => row.subject_request_id);
    expect(await ids('--group', 'looked-at')).toContain(id);
    expect(await ids('--status', 'pending')).toContain(id);
    expect(await ids('--status', 'completed')).toEqual([]);
    expect((await cli.penstock.run('dsr', 'list')).out).toContain(id);
  });

  test('list --stuck shows what does not go on, and why; show says it too, and retry tries again', async () => {
    const before = await cli.penstock.run('dsr', 'retry', id);
    expect([before.code, before.err]).toEqual([
      2,
      expect.stringContaining('only a request in progress can be retried'),
    ]);
    await cli.store.execute(
      `UPDATE dsr_requests SET status = 'in_progress', attempts = 3, last_error = 'The store was away.',
         next_attempt_on = '2099-01-01T00:00:00Z' WHERE workspace_id = 1 AND id = $1`,
      [id],
    );
    const why = expect.stringContaining('Attempt 3 failed: The store was away.');
    expect(await dsr('list', '--stuck')).toContainEqual(expect.objectContaining({ id, why }));
    expect(await dsr('show', id)).toMatchObject({ stuck: why, attempts: 3 });
    expect((await cli.penstock.run('dsr', 'show', id)).out).toContain('The store was away.');
    await dsr('retry', id);
    const { next_attempt_on: next } = await dsr('show', id);
    expect(Date.parse(String(next))).toBeLessThanOrEqual(Date.now());
  });

  test('preview shows what an erasure would remove, of a request or of somebody named', async () => {
    expect(await dsr('preview', id)).toMatchObject({ people: [], counts: { identity: { profiles: 0 } } });
    expect(await dsr('preview', '--identity', `email=${somebody()}`)).toMatchObject({ people: [] });
    for (const args of [[], [id, '--identity', 'email=a@x']]) {
      expect(await cli.penstock.run('dsr', 'preview', ...args)).toMatchObject({ code: 2 });
    }
    const { out } = await cli.penstock.run('dsr', 'preview', id);
    expect(out).toMatch(/identity +profiles +0/);
  });

  test('export writes its evidence, without personal data', async () => {
    const file = join(cli.home, 'evidence.json');
    await dsr('export', id, '--file', file).catch(() => undefined);
    const evidence = JSON.parse(await readFile(file, 'utf8')) as Row;
    expect(evidence).toMatchObject({
      ...{ subject_request_id: id, request_status: 'pending', forwarding: [], callbacks: [], audit: [] },
      ...{ controller_id: '1', erased_keys: null, identity_types: ['email'] },
    });
    expect(evidence.counts).toEqual({});
    expect(evidence.subject_keys).toHaveLength(2);
    expect(JSON.stringify(evidence)).not.toContain('@example.org');
    const { out } = await cli.penstock.run('dsr', 'export', id);
    expect(JSON.parse(out)).toEqual(evidence);
    expect((await cli.penstock.run('dsr', 'export')).code).toBe(2);
  });

  test('export --erasures is what reapply reads', async () => {
    const file = join(cli.home, 'erasures.jsonl');
    expect((await cli.penstock.run('dsr', 'export', '--erasures', '--file', file)).code).toBe(0);
    const [first, ...rest] = (await readFile(file, 'utf8')).trim().split('\n');
    expect(JSON.parse(first ?? '')).toMatchObject({ kind: 'erasures', workspace: '1' });
    expect(rest.length).toBeGreaterThan(0);
    expect(rest.join()).not.toContain('@example.org');
    expect(await dsr('reapply', file)).toMatchObject({ restored: 0, people: 0, lost: [] });
    await writeFile(file, 'no export\n');
    expect(await cli.penstock.run('dsr', 'reapply', file)).toMatchObject({ code: 2 });
  });

  test('an id that is not there is refused', async () => {
    for (const verb of ['show', 'retry', 'preview', 'export']) {
      const { code, err } = await cli.penstock.run('dsr', verb, 'c7551968-d5d6-44b2-9831-815ac9017798');
      expect([verb, code, err]).toEqual([verb, 2, expect.stringContaining('There is no')]);
    }
  });
});

test('help teaches: identity types, columns of a CSV, what an export is for', async () => {
  const help = async (...args: readonly string[]) => (await cli.penstock.run('dsr', ...args, '--help')).out;
  expect(await help()).toContain('penstock dsr list --stuck');
  expect(await help('create')).toContain('The first line of a CSV names its columns');
  expect(await help('export')).toContain('penstock dsr reapply erasures.jsonl');
});
