/**
 * Writes a name of the configuration as sign-in takes it: folded to upper case where it needs no quotes. A name that comes in
 * quotes, such as `"my-db"`, keeps them.
 */
export function nameSql(name: string): string {
  if (/^[a-z_][a-z0-9_$]*$/i.test(name) || isQuoted(name)) return name;
  return `"${name.replaceAll('"', '""')}"`;
}

/** Tells whether a name stands in quotes, and every quote within is doubled. */
function isQuoted(name: string): boolean {
  return (
    name.length > 2 &&
    name.startsWith('"') &&
    name.endsWith('"') &&
    !name.slice(1, -1).replaceAll('""', '').includes('"')
  );
}
