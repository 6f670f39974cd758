export type ParsedObject = Readonly<Record<string, unknown>>;

/** Returns the object that a JSON text holds, or undefined for any other text. */
export function parseObject(text: string): ParsedObject | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? { ...parsed } : undefined;
  } catch {
    return undefined;
  }
}
