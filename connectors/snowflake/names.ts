/** Writes a name of the configuration as sign-in takes it: folded to upper case where it needs no quotes. */
export function nameSql(name: string): string {
  return /^[a-z_][a-z0-9_$]*$/i.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}
