import { describe, expect, test } from 'vitest';
import { AppError, instantFromStore } from '../../../../src/kernel/index.ts';
import { INCREMENTAL, people, peopleRuns, text } from '../../../support/people/people-runs.ts';
import { addPipeline, countsOf, readPipeline, readRun, trigger, untilRun } from '../../../support/runs/test-engine.ts';

const here = peopleRuns();
const { run, countProfiles } = here;
const nowMs = () => here.clock.nowMs();

describe('a run', () => {
  test('delivers every row of a full model and balances its counts', async () => {
    await addPipeline(here.store);
    here.warehouse.rows = people(2350);
    const done = await run('success');
    expect(countsOf(done)).toEqual([2350, 2350, 0, 0, 0]);
    expect(done).toMatchObject({ rangeStart: null, rangeEnd: null, attempts: 1, errors: [], warnings: [] });
    expect(await countProfiles()).toBe(2350n);
    expect(await readPipeline(here.store)).toMatchObject({ latestSuccessfulRunId: done.id, position: null });
    expect(here.warehouse.sessions).toBe(0);
  });

  test('of a full pipeline reads what from and until leave, and remembers no position', async () => {
    const bounds = { from: '2026-01-15T10:00:00Z', until: '2026-01-15T11:30:00Z' };
    await addPipeline(here.store, { syncMode: { ...INCREMENTAL, ...bounds, type: 'full' } });
    here.warehouse.rows = [...people(3), ...people(2, '2026-01-15T11:30:00.000000Z')];
    for (let round = 1; round <= 2; round++) expect(countsOf(await run('success'))).toEqual([3, 3, 0, 0, 0]);
    expect((await readPipeline(here.store)).position).toBeNull();
  });

  test('reads only its range, moves the position to its end, and the next one goes on there', async () => {
    await addPipeline(here.store, { syncMode: INCREMENTAL });
    here.warehouse.rows = [...people(3, '2026-01-15T11:59:59.999999Z'), ...people(2, '2026-01-15T12:00:00.000000Z')];
    const first = await run('success');
    expect(first).toMatchObject({ rangeStart: null, rangeEnd: '2026-01-15T12:00:00.000000Z' });
    expect(countsOf(first)).toEqual([3, 3, 0, 0, 0]);
    here.clock.advance(60_000);
    const second = await run('success');
    expect(second).toMatchObject({ rangeStart: first.rangeEnd, rangeEnd: '2026-01-15T12:01:00.000000Z' });
    expect(countsOf(second)).toEqual([2, 2, 0, 0, 0]);
    expect((await readPipeline(here.store)).position).toBe(instantFromStore('2026-01-15T12:01:00Z'));
  });

  test('succeeds without reading when nothing can be new', async () => {
    await addPipeline(here.store, { syncMode: INCREMENTAL });
    await run('success');
    const statements = here.warehouse.statements.length;
    expect(countsOf(await run('success'))).toEqual([0, 0, 0, 0, 0]);
    expect(here.warehouse.statements).toHaveLength(statements);
  });

  test('warns of rows without an iterator value and loads none of them', async () => {
    await addPipeline(here.store, { syncMode: INCREMENTAL });
    here.warehouse.rows = [...people(2), ['x@example.org', 'X', null]];
    const done = await run('success');
    expect(countsOf(done)).toEqual([2, 2, 0, 0, 0]);
    expect(done.warnings).toEqual([{ message: expect.stringContaining('1 rows have no "at"') }]);
  });

  test('never succeeds with counts that do not balance', async () => {
    await addPipeline(here.store, { syncMode: INCREMENTAL });
    here.warehouse.rows = people(250);
    here.warehouse.gate = async () => {
      await here.store.query(
        'UPDATE pipeline_runs SET extracted_records = extracted_records + 1 WHERE workspace_id = 1',
      );
    };
    const complaint = { message: expect.stringContaining('do not balance') };
    // of the chunk that found it, and of the report as it stands
    expect((await run('failed')).errors).toEqual([complaint, complaint]);
    expect(await readPipeline(here.store)).toMatchObject({ latestSuccessfulRunId: null, position: null });
  });

  test('keeps rows that cannot be mapped with field, value, rule and reason', async () => {
    await addPipeline(here.store);
    here.warehouse.rows = [...people(3), [null, 'Nowhere', null], ['y@example.org', 'x'.repeat(5000), null]];
    expect(countsOf(await run('success'))).toEqual([5, 3, 2, 0, 0]);
    const failed = await here.store.query('SELECT id, field, rule, reason, row FROM failed_records ORDER BY id');
    expect(failed).toMatchObject([
      { id: 1n, field: '', rule: 'identity_missing', row: '{"email":null,"city":"Nowhere","at":null}' },
      { id: 2n, field: 'city', rule: 'value_too_long', reason: expect.stringContaining('5000 characters') },
    ]);
  });

  test('gives up on a model of which no row can be mapped, and faults the pipeline', async () => {
    await addPipeline(here.store);
    const nobody = (count: number) => Array.from({ length: count }, () => [null, 'Nowhere', null]);
    here.warehouse.rows = nobody(999);
    expect(countsOf(await run('success'))).toEqual([999, 0, 999, 0, 0]);
    here.warehouse.rows = [...people(1), ...nobody(1200)];
    expect(countsOf(await run('success'))).toEqual([1201, 1, 1200, 0, 0]);
    here.warehouse.rows = nobody(1000);
    const failed = await run('failed');
    const why = 'rows could be mapped. For example: All identity columns of the row are NULL';
    expect(failed.errors).toEqual([{ message: expect.stringContaining(why) }]);
    expect((await readPipeline(here.store)).fault).toEqual(failed.errors);
  });

  test('does not give up on a model of which an earlier run has mapped rows', async () => {
    await addPipeline(here.store, { syncMode: { ...INCREMENTAL, lookback: '1d' } });
    here.warehouse.rows = people(1);
    expect(countsOf(await run('success'))).toEqual([1, 1, 0, 0, 0]);
    const nobody = [null, 'Nowhere', '2026-01-15T11:30:00.000000Z'];
    here.warehouse.rows = [...people(1), ...Array.from({ length: 1000 }, () => nobody)];
    here.clock.advance(60_000);
    expect(countsOf(await run('success'))).toEqual([1001, 0, 1000, 1, 0]);
  });

  test('takes its model and pipeline as they were when it began', async () => {
    await addPipeline(here.store, { syncMode: INCREMENTAL });
    here.warehouse.rows = people(250);
    here.warehouse.gate = async () => {
      await here.store.query(`UPDATE pipelines SET sync_mode = '{"type":"full"}' WHERE workspace_id = 1`);
    };
    expect((await run('success')).rangeEnd).not.toBeNull();
  });

  test('moves no position of a time line that a reset began after it', async () => {
    await addPipeline(here.store, { syncMode: INCREMENTAL });
    here.warehouse.rows = people(250);
    here.warehouse.gate = async () => {
      await here.store.query(
        'UPDATE pipelines SET generation = generation + 1, position = NULL WHERE workspace_id = 1',
      );
    };
    expect(countsOf(await run('success'))[0]).toBe(250);
    expect((await readPipeline(here.store)).position).toBeNull();
  });
});

describe('a passing error', () => {
  const lost = new AppError('WAREHOUSE_SESSION_LOST', 'The session is gone.');

  test('is tried again later, with the same range and with counts of its own', async () => {
    await addPipeline(here.store, { syncMode: INCREMENTAL });
    here.warehouse.rows = [...people(2500), [null, 'Nowhere', '2026-01-15T11:00:00.000000Z']];
    // its clock would allow more to the next attempt
    here.warehouse.nowMs = () => here.clock.nowMs() - 600_000;
    here.warehouse.failing = { at: 'read', error: lost, afterChunks: 2 };
    const retrying = await run('retrying');
    expect(retrying.errors).toEqual([{ message: 'The session is gone.' }]);
    expect(Number(retrying.extractedRecords)).toBeGreaterThan(0);

    here.warehouse.failing = undefined;
    await here.daemon.engine.poll();
    expect((await readRun(here.store, retrying.id)).status).toBe('retrying');
    here.clock.advance(60_000);
    await here.daemon.engine.poll();
    const done = await untilRun(here.store, retrying.id, 'success');
    expect(done).toMatchObject({ attempts: 2, rangeEnd: retrying.rangeEnd, errors: [] });
    expect(countsOf(done)).toEqual([2501, 2500, 1, 0, 0]);
    expect(await here.store.query('SELECT id FROM failed_records')).toHaveLength(1);
  });

  test('changes nothing about what the run works on, whatever was changed until its next attempt', async () => {
    await addPipeline(here.store, { sqlQuery: 'SELECT * FROM people_before' });
    here.warehouse.rows = people(2);
    here.warehouse.failing = { at: 'open', error: lost };
    const retrying = await run('retrying');
    here.warehouse.failing = undefined;
    await here.store.query("UPDATE data_models SET sql_query = 'SELECT * FROM people_after' WHERE workspace_id = 1");
    await here.store.query("UPDATE pipelines SET environment = 'development' WHERE workspace_id = 1");
    here.clock.advance(60_000);
    await here.daemon.engine.poll();
    await untilRun(here.store, retrying.id, 'success');
    expect(here.warehouse.statements.map(({ sql }) => sql)).toEqual([
      expect.stringContaining('SELECT * FROM people_before'),
    ]);
    expect(await here.store.query('SELECT DISTINCT environment AS e FROM profiles')).toEqual([{ e: 0 }]);
  });

  test.each([
    [3600, 3600],
    [86_400, 7200],
  ])('waits as long as the warehouse asks for, up to 2 hours (%i s: %i s)', async (retryAfterSeconds, waits) => {
    await addPipeline(here.store);
    const error = new AppError('WAREHOUSE_THROTTLED', 'Come back later.', { retryAfterSeconds });
    here.warehouse.failing = { at: 'open', error };
    expect((await run('retrying')).retryAt?.getTime()).toBe(nowMs() + waits * 1000);
  });

  test('fails the run after the last attempt, and five such runs fault the pipeline', async () => {
    await using impatient = await here.startAnother({ runAttempts: 1 });
    await here.daemon[Symbol.asyncDispose]();
    const pipeline = await addPipeline(here.store);
    here.warehouse.failing = { at: 'open', error: lost };
    for (let failures = 1; failures <= 5; failures++) {
      expect((await readPipeline(here.store)).fault).toBeNull();
      const id = await trigger(impatient, here.store, { pipeline, nowMs: nowMs() });
      await untilRun(here.store, id, 'failed');
      expect((await readPipeline(here.store)).failedInARow).toBe(failures);
    }
    expect((await readPipeline(here.store)).fault).toEqual([
      { message: '5 runs failed in a row; the last one with: The session is gone.' },
    ]);
    here.warehouse.failing = undefined;
    const id = await trigger(impatient, here.store, { pipeline, nowMs: nowMs() });
    await untilRun(here.store, id, 'success');
    expect(await readPipeline(here.store)).toMatchObject({ fault: null, failedInARow: 0 });
  });
});

describe('a fault', () => {
  const faultOf = async (table: string) =>
    (await here.store.query<{ fault: string | null }>(`SELECT fault FROM ${table} WHERE workspace_id = 1`))[0]?.fault;

  test('of the connection stops it at once', async () => {
    await addPipeline(here.store);
    here.warehouse.failing = { at: 'open', error: new AppError('WAREHOUSE_CREDENTIALS', 'The password is wrong.') };
    expect(await run('failed')).toMatchObject({ attempts: 1, errors: [{ message: 'The password is wrong.' }] });
    expect(await faultOf('connections')).toBe('[{"message":"The password is wrong."}]');
    expect(await faultOf('data_models')).toBeNull();

    here.warehouse.failing = undefined;
    await run('success');
    expect(await faultOf('connections')).toBeNull();
  });

  test('of the model marks the model as invalid', async () => {
    await addPipeline(here.store);
    here.warehouse.failing = {
      at: 'describe',
      error: new AppError('WAREHOUSE_OBJECT_MISSING', 'There is no table people.'),
    };
    await run('failed');
    expect(await faultOf('data_models')).toBe('[{"message":"There is no table people."}]');
    expect(await faultOf('connections')).toBeNull();
  });

  test('of the clock of the warehouse stops the connection, whose model was not read yet', async () => {
    await addPipeline(here.store, { syncMode: INCREMENTAL });
    here.warehouse.nowMs = () => {
      throw new AppError('WAREHOUSE_PERMISSION', 'The user may not ask for the time.');
    };
    await run('failed');
    expect(await faultOf('connections')).toBe('[{"message":"The user may not ask for the time."}]');
    expect(await faultOf('data_models')).toBeNull();
  });

  test('is found before anything is read: no identity, two columns of one identity, SQL that is no SELECT', async () => {
    await addPipeline(here.store);
    here.warehouse.columns = [text('name')];
    expect((await run('failed')).errors[0]?.message).toContain('selects no identity');
    here.warehouse.columns = [text('email'), text('EMAIL')];
    expect((await run('failed')).errors[0]?.message).toContain('both mean the identity email');
    await here.store.query(`UPDATE data_models SET sql_query = 'DELETE FROM people' WHERE workspace_id = 1`);
    expect((await run('failed')).errors[0]?.message).toContain('DELETE');
    expect(here.warehouse.statements).toEqual([]);
  });

  test('of the iterator stops the pipeline, whose setting it is', async () => {
    await addPipeline(here.store, { syncMode: INCREMENTAL });
    here.warehouse.columns = [text('email')];
    expect((await run('failed')).errors[0]?.message).toContain('no column "at"');
    expect(await faultOf('pipelines')).toContain('no column \\"at\\"');
    expect(await faultOf('data_models')).toBeNull();
  });

  test('of a feed that is not active stops the pipeline before anything is read', async () => {
    await addPipeline(here.store);
    const at = "'2026-01-01'";
    for (const values of [
      `organisations (id, name, created_on) OVERRIDING SYSTEM VALUE VALUES (1, 'o', ${at})`,
      `accounts (id, organisation_id, name, created_on) OVERRIDING SYSTEM VALUE VALUES (1, 1, 'a', ${at})`,
      `workspaces (id, account_id, name, created_on) OVERRIDING SYSTEM VALUE VALUES (1, 1, 'w', ${at})`,
    ]) {
      await here.store.query(`INSERT INTO ${values}`);
    }
    await here.store.query(
      `INSERT INTO input_credentials (key, workspace_id, name, secret, created_on)
       VALUES ('feed', 1, 'feed', '', '2026-01-01')`,
    );
    await here.store.query(
      `INSERT INTO feeds (workspace_id, id, name, module_name, settings, is_active, key, created_on, created_by)
       OVERRIDING SYSTEM VALUE VALUES (1, 7, 'shop feed', 'alpha', '[]', false, 'feed', '2026-01-01', 'test')`,
    );
    await here.store.query(`UPDATE pipelines SET kept = '{"partnerFeedId":"7"}' WHERE workspace_id = 1`);
    expect((await run('failed')).errors[0]?.message).toContain('"shop feed" of this pipeline is not active');
    expect(await faultOf('pipelines')).toContain('not active');
    expect(await faultOf('connections')).toBeNull();
    expect(here.warehouse.statements).toEqual([]);

    await here.store.query('UPDATE feeds SET is_active = true WHERE workspace_id = 1');
    await run('success');
    expect(await faultOf('pipelines')).toBeNull();
  });

  test('that Penstock does not know fails the run and faults nothing', async () => {
    await addPipeline(here.store);
    here.warehouse.failing = { at: 'read', error: new AppError('WAREHOUSE_UNKNOWN', 'Something new.') };
    await run('failed');
    expect([await faultOf('connections'), await faultOf('data_models'), await faultOf('pipelines')]).toEqual([
      null,
      null,
      null,
    ]);
  });
});
