/** Returns a field of a value that an SDK threw or handed out, or undefined where the value has no fields. */
export function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined;
}
