import { describe, expect, it } from 'vitest';
import { stopWith } from '../../../connectors/duckdb/child/stop-with.ts';

describe('stopWith', () => {
  it('interrupts the whole where the cancel came together with the call', async () => {
    const stop = new AbortController();
    expect(await stopWith(AbortSignal.abort(), stop, async () => stop.signal.aborted)).toBe(true);
  });

  it('interrupts the whole by a cancel during the call, and by none after it', async () => {
    const [cancel, stop] = [new AbortController(), new AbortController()];
    await stopWith(cancel.signal, stop, async () => undefined);
    cancel.abort();
    expect(stop.signal.aborted).toBe(false);
    const later = new AbortController();
    const seen = await stopWith(later.signal, stop, async () => {
      later.abort();
      return stop.signal.aborted;
    });
    expect(seen).toBe(true);
  });
});
