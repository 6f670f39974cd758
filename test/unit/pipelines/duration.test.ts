import { describe, expect, it } from 'vitest';
import { parseDuration } from '../../../src/pipelines/index.ts';

describe('durations', () => {
  it.each([
    ['0s', 0],
    ['45s', 45_000],
    ['15m', 900_000],
    ['36h', 129_600_000],
    ['2d', 172_800_000],
    ['1w', 604_800_000],
    ['1y', 365 * 86_400_000],
  ])('reads %s', (text, ms) => {
    expect(parseDuration(text)).toBe(ms);
  });

  it.each(['', '15', 'm', '1.5h', '-1m', '1M', '1 h', '15m ', '1h30m', '101y'])('refuses "%s"', (text) => {
    expect(parseDuration(text)).toBeUndefined();
  });
});
