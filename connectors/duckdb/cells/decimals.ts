import { decimalWriter } from '../../_shared/decimals.ts';
import { int64s, numbers, type VectorReader, wide } from './vectors.ts';

/** Reads DECIMAL as text with all digits after the point, from the stored integer and the scale. */
export function decimals(width: number, scale: number): VectorReader {
  const read = scaledIntegers(width);
  const write = decimalWriter(scale);
  return (vector) => {
    const scaled = read(vector);
    return (index) => write(scaled(index));
  };
}

/** Returns the reader by width: DuckDB stores up to 4 digits in 16 bits, 9 in 32, 18 in 64, 38 in 128. */
function scaledIntegers(width: number): VectorReader {
  if (width <= 4) return numbers(Int16Array);
  if (width <= 9) return numbers(Int32Array);
  if (width <= 18) return int64s(true);
  return (vector) => wide(vector, true);
}
