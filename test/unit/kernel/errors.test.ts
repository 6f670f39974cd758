import { describe, expect, test } from 'vitest';
import {
  AppError,
  asAppError,
  type Disposition,
  ERROR_CODES,
  type ErrorCode,
  refuse,
} from '../../../src/kernel/index.ts';

const DISPOSITIONS: readonly Disposition[] = ['retry', 'fault', 'row', 'cancelled', 'refused', 'bug'];
const codes = Object.keys(ERROR_CODES) as ErrorCode[];

describe('the table of error codes', () => {
  test.each(codes)('%s has a disposition and says what it means in one sentence', (code) => {
    const { disposition, meaning } = ERROR_CODES[code];
    expect(code).toMatch(/^[A-Z]+(_[A-Z]+)*$/);
    expect(DISPOSITIONS).toContain(disposition);
    expect(meaning).toMatch(/^[A-Z].*\.$/);
  });

  test('every disposition is used', () => {
    expect(new Set(codes.map((code) => ERROR_CODES[code].disposition))).toEqual(new Set(DISPOSITIONS));
  });
});

describe('AppError', () => {
  test('takes its disposition from the table', () => {
    for (const code of codes) expect(new AppError(code, 'x').disposition).toBe(ERROR_CODES[code].disposition);
  });

  test('keeps cause, issues and the seconds to wait', () => {
    const cause = new Error('socket closed');
    const issues = [{ path: 'config.host', message: 'is missing' }];
    const error = new AppError('WAREHOUSE_THROTTLED', 'Busy.', { cause, issues, retryAfterSeconds: 7 });
    expect(error).toMatchObject({ name: 'AppError', cause, issues, retryAfterSeconds: 7 });
  });

  test('has no cause where none was given', () => {
    expect('cause' in new AppError('INTERNAL', 'x')).toBe(false);
  });
});

describe('asAppError', () => {
  test('passes an AppError on as it is', () => {
    const error = new AppError('IN_USE', 'x');
    expect(asAppError(error)).toBe(error);
  });

  test('takes an abort for a cancellation', () => {
    const thrown = AbortSignal.abort().reason as unknown;
    expect(asAppError(thrown)).toMatchObject({ code: 'CANCELLED', cause: thrown });
  });

  test('takes anything else for a bug and keeps it as the cause', () => {
    const thrown = new TypeError('x is undefined');
    expect(asAppError(thrown)).toMatchObject({ code: 'INTERNAL', message: 'x is undefined', cause: thrown });
    expect(asAppError('text')).toMatchObject({ code: 'INTERNAL', message: 'text', cause: 'text' });
    expect(asAppError(undefined)).toMatchObject({ code: 'INTERNAL', disposition: 'bug' });
  });
});

test('refuse lists every issue with its path in one message', () => {
  const error = refuse([
    { path: 'config.host', message: 'is missing' },
    { path: '', message: 'unknown field "x"' },
  ]);
  expect(error).toMatchObject({ code: 'VALIDATION_FAILED', message: 'config.host: is missing; unknown field "x"' });
  expect(error.issues).toHaveLength(2);
});
