import { AppError, field, say } from '../../src/kernel/index.ts';

/** Builds the error of a connection whose workspace may not use the daemon's identity, by the path of its field. */
export function identityNotAllowed(path: string): AppError {
  const way = 'Use another sign-in, or ask the operator to add it to PENSTOCK_CLOUD_IDENTITY.';
  return new AppError('WAREHOUSE_CONFIG', say`${field(path)} is not allowed for this workspace. ${way}`);
}
