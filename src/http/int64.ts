import { type TUnsafe, Type } from 'typebox';

/**
 * Returns the schema of a 64-bit integer. In a body, the lossless parser gives a number while that is exact, and a bigint
 * beyond. In a path or a query, the value is always a bigint. OpenAPI shows `integer` with format `int64`.
 */
export function Int64(
  options: { readonly description?: string; readonly title?: string } = {},
): TUnsafe<bigint | number> {
  return Type.Unsafe<bigint | number>({ int64: true, ...options });
}
