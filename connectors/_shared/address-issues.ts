import type { AppError, Issue } from '../../src/kernel/index.ts';

/**
 * Returns the complaint about an address that the operator's rules refuse. An unknown name is no complaint: the probe reports
 * it, and the name may be created later.
 */
export async function addressIssues(
  path: string,
  check: () => unknown,
  classify: (failure: unknown) => AppError,
): Promise<readonly Issue[]> {
  try {
    await check();
    return [];
  } catch (failure) {
    const { code, message } = classify(failure);
    return code === 'WAREHOUSE_CONFIG' ? [{ path, message }] : [];
  }
}
