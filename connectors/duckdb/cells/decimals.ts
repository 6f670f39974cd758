import { decimalWriter } from '../../_shared/decimals.ts';
import type { Bindings } from '../sdk.ts';
import type { CellReader, VectorReader } from './vectors.ts';
import { int64s, numbers, wide } from './vectors.ts';

/** Reads DECIMAL as text with all digits after the point, from the stored integer and the scale. */
export function decimals(duckdb: Bindings, width: number, scale: number): VectorReader {
  const read = scaledIntegers(duckdb, width);
  const write = decimalWriter(scale);
  return (vector, count) => {
    const scaled = read(vector, count);
    return (index) => write(scaled(index));
  };
}

/** Returns the reader by width: DuckDB stores up to 4 digits in 16 bits, 9 in 32, 18 in 64, 38 in 128. */
function scaledIntegers(duckdb: Bindings, width: number): (...vector: Parameters<VectorReader>) => CellReader {
  if (width <= 4) return numbers(duckdb, Int16Array);
  if (width <= 9) return numbers(duckdb, Int32Array);
  if (width <= 18) return int64s(duckdb, true);
  return (vector, count) => wide(duckdb, vector, { count, signed: true });
}
