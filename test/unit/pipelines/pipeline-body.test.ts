import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { AppError, workspaceId } from '../../../src/kernel/index.ts';
import type { Pipeline, PipelineContext } from '../../../src/pipelines/index.ts';
import { pipelineStatus } from '../../../src/pipelines/index.ts';
import { readPipelineBody } from '../../../src/pipelines/pipelines/read-pipeline-body.ts';
import { pipelineAnswer } from '../../../src/pipelines/wire/pipeline-answer.ts';

type Body = Parameters<typeof readPipelineBody>[0];

const audit = { createdOn: new Date(0), createdBy: 'me', lastModifiedOn: null, lastModifiedBy: null };
const base: Omit<Body, 'sync_mode' | 'schedule'> = {
  ...{ id: 'p', name: 'P', pipeline_type: 'user_attributes', connection_id: 'c', data_model_id: 'm' },
  ...{ state: 'active', environment: 'production' },
};

function contextOf(read: ReturnType<typeof readPipelineBody>, changes: Partial<Pipeline> = {}): PipelineContext {
  const workspace = workspaceId(1n);
  return {
    pipeline: {
      ...{ workspaceId: workspace, number: 1n, id: 'p', name: 'P', pipelineType: 'user_attributes' },
      ...{
        connectionId: 'c',
        dataModelId: 'm',
        fieldTransformationId: null,
        state: 'active',
        environment: 'production',
        ...read,
        kept: {},
      },
      ...{
        fault: null,
        warnings: [],
        position: null,
        ledgerFrom: null,
        scheduledUntilMs: null,
        nextDueAtMs: null,
        generation: 0,
      },
      ...{ failedInARow: 0, latestSuccessfulRunId: null, deletedOn: null, ...audit, ...changes },
    },
    connection: {
      ...{ workspaceId: workspace, id: 'c', name: 'C', state: 'active', provider: 'DuckDB', config: {}, fault: null },
      ...audit,
    },
    dataModel: {
      ...{ workspaceId: workspace, id: 'm', name: 'M', state: 'active', sqlQuery: '', fault: null },
      ...{ loadTimestamp: null, warnings: [], ...audit },
    },
    transformation: null,
  };
}

const instants = fc
  .record({
    seconds: fc.integer({ min: 0, max: 2_000_000_000 }),
    fraction: fc.constantFrom('', '.5', '.123', '.123456'),
    zone: fc.constantFrom('Z', '+02:00', '-0530'),
  })
  .map(({ seconds, fraction, zone }) => `${new Date(seconds * 1000).toISOString().slice(0, 19)}${fraction}${zone}`);
const optional = <Value>(arbitrary: fc.Arbitrary<Value>) => fc.option(arbitrary, { nil: undefined });
const durations = fc.constantFrom('0s', '90m', '36h', '2d', '1w', '1y');

const syncModes = fc.oneof(
  fc.record({
    type: fc.constant('incremental' as const),
    iterator_field: fc.constantFrom('updated_at', 'ts'),
    iterator_data_type: fc.constantFrom('timestamp', 'datetime_tz', 'DATE', 'timestamp_unixtime_ms'),
    iterator_time_zone: optional(fc.constantFrom('UTC', 'Europe/Berlin')),
    from: optional(instants),
    lookback: optional(durations),
  }),
  fc.record({ type: fc.constant('full' as const), from: optional(instants) }),
);
const schedules = fc.record({
  type: fc.constantFrom('interval', 'once', 'on_demand', 'on-demand'),
  frequency: fc.constantFrom('hourly', 'daily', 'weekly', 'monthly'),
  start: fc.constantFrom('2024-01-31T00:00:00Z', '2024-01-31T00:00:00.250+01:00'),
  delay: optional(durations),
  end: optional(fc.constant('2034-01-31T00:00:00Z')),
});

describe('what a body says', () => {
  it('is the same when the answer is sent back', () => {
    fc.assert(
      fc.property(syncModes, schedules, (sync_mode, schedule) => {
        const read = readPipelineBody({ ...base, sync_mode, schedule } as Body, undefined);
        const answer = pipelineAnswer(contextOf(read), false);
        expect(readPipelineBody(answer as Body, undefined)).toEqual(read);
        expect(pipelineAnswer(contextOf(readPipelineBody(answer as Body, undefined)), false)).toEqual(answer);
      }),
      { numRuns: 500 },
    );
  });

  it('comes with every complaint of both parts', () => {
    const body = { ...base, sync_mode: { type: 'incremental' }, schedule: { type: 'interval' }, data_plan_version: 3 };
    const paths = (() => {
      try {
        readPipelineBody(body as Body, undefined);
      } catch (error) {
        return error instanceof AppError ? error.issues.map(({ path }) => path) : [];
      }
      return [];
    })();
    expect(paths).toEqual([
      ...['sync_mode.iterator_field', 'sync_mode.iterator_data_type', 'schedule.frequency', 'schedule.start'],
      'data_plan_version',
    ]);
  });
});

describe('the status of a pipeline', () => {
  const read = readPipelineBody({ ...base, sync_mode: { type: 'full' }, schedule: { type: 'once' } }, undefined);
  const fault = [{ message: 'It broke.' }];
  const context = contextOf(read);
  const { connection, dataModel } = context;

  it.each([
    ['idle', context, false],
    ['running', context, true],
    ['faulted', contextOf(read, { fault }), false],
    ['running', contextOf(read, { fault }), true],
    ['faulted', { ...context, connection: { ...connection, fault } }, false],
    ['faulted', { ...context, dataModel: { ...dataModel, fault } }, false],
    ['stopped', contextOf(read, { state: 'new' }), false],
    ['stopped', contextOf(read, { state: 'paused', fault }), true],
    ['stopped', { ...context, connection: { ...connection, state: 'inactive' } }, false],
    ['stopped', { ...context, dataModel: { ...dataModel, state: 'new' } }, true],
  ] as const)('is %s', (status, given, hasLiveRun) => {
    expect(pipelineStatus(given, hasLiveRun)).toBe(status);
  });
});
