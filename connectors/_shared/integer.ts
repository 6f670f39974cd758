/** Number of characters up to which every integer is safe. */
const SURELY_SAFE = 15;

/** Reads an integer of any size: a safe one as a number, any other as a bigint. */
export function integer(text: string): number | bigint {
  const value = Number(text);
  return text.length <= SURELY_SAFE || Number.isSafeInteger(value) ? value : BigInt(text);
}
