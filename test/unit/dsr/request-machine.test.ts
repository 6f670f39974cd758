import { describe, expect, it } from 'vitest';
import {
  isOpen,
  nextRequestStatus,
  REQUEST_EVENTS,
  REQUEST_STATUSES,
  requestStatusesBefore,
} from '../../../src/dsr/request-machine.ts';

describe('the machine of a request', () => {
  it('knows an outcome for every status and event', () => {
    for (const status of REQUEST_STATUSES) {
      for (const event of REQUEST_EVENTS) expect(nextRequestStatus(status, event)).not.toBeUndefined();
    }
  });

  it('lets only a pending request be cancelled or started', () => {
    for (const event of ['cancel', 'start'] as const) expect(requestStatusesBefore(event)).toEqual(['pending']);
    expect(nextRequestStatus('pending', 'cancel')).toBe('cancelled');
    expect(nextRequestStatus('pending', 'start')).toBe('in_progress');
  });

  it('keeps a request in progress when an attempt fails, and lets it be taken and retried again', () => {
    for (const event of ['fail', 'take', 'retry'] as const) {
      expect(requestStatusesBefore(event)).toEqual(['in_progress']);
      expect(nextRequestStatus('in_progress', event)).toBe('in_progress');
    }
  });

  it('completes only what is in progress', () => {
    expect(requestStatusesBefore('complete')).toEqual(['in_progress']);
    expect(nextRequestStatus('in_progress', 'complete')).toBe('completed');
  });

  it('never leaves completed or cancelled', () => {
    expect(REQUEST_STATUSES.filter((status) => !isOpen(status))).toEqual(['completed', 'cancelled']);
  });
});
