import { describe, expect, it } from 'vitest';
import { RUN_STATUSES } from '../../../src/pipelines/index.ts';
import { isLive, nextStatus, RUN_EVENTS, statusesBefore } from '../../../src/runs/lifecycle/run-machine.ts';

describe('the machine of a run', () => {
  it('knows an outcome for every status and event', () => {
    for (const status of RUN_STATUSES) {
      for (const event of RUN_EVENTS) expect(nextStatus(status, event)).not.toBeUndefined();
    }
  });

  it('never leaves a status that is final, but for a requeue of what came to nothing', () => {
    for (const status of ['success', 'failed', 'stopped'] as const) {
      expect(isLive(status)).toBe(false);
      for (const event of RUN_EVENTS) if (event !== 'requeue') expect(nextStatus(status, event)).toBeNull();
    }
    expect(statusesBefore('requeue')).toEqual(['failed', 'stopped']);
    expect(nextStatus('failed', 'requeue')).toBe('queued');
  });

  it('lets only a running run end, be deferred or be handed back', () => {
    for (const event of ['end', 'defer', 'release'] as const) expect(statusesBefore(event)).toEqual(['running']);
  });

  it('lets a worker claim every live run, also one whose worker is gone', () => {
    expect(statusesBefore('claim')).toEqual(['queued', 'running', 'retrying']);
    expect(statusesBefore('claim').every((status) => isLive(status))).toBe(true);
  });

  it('lets every live run be cancelled', () => {
    expect(statusesBefore('cancel')).toEqual(['queued', 'running', 'retrying']);
  });
});
