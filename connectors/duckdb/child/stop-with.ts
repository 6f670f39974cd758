/** Runs one call about a stream or a transaction. Where the call is cancelled, `stop` interrupts the whole. */
export async function stopWith<T>(signal: AbortSignal, stop: AbortController, work: () => Promise<T>): Promise<T> {
  const interrupt = () => stop.abort();
  signal.addEventListener('abort', interrupt);
  // a cancel that arrives together with its call comes first
  if (signal.aborted) interrupt();
  try {
    return await work();
  } finally {
    signal.removeEventListener('abort', interrupt);
  }
}
