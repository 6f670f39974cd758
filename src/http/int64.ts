import { type TUnsafe, Type } from 'typebox';
import { fitsInt64 } from '../kernel/index.ts';

/**
 * A 64-bit integer. In a body it is what the lossless parser gives: a number while that is exact, a bigint beyond; from a
 * path or a query always a bigint. OpenAPI shows `integer` with format `int64`.
 */
export function Int64(
  options: { readonly description?: string; readonly title?: string } = {},
): TUnsafe<bigint | number> {
  return Type.Unsafe<bigint | number>({ int64: true, ...options });
}

export function isInt64(value: unknown): boolean {
  if (typeof value === 'bigint') return fitsInt64(value);
  return typeof value === 'number' && Number.isSafeInteger(value);
}
