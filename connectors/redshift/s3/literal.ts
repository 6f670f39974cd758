/**
 * Writes a literal. A backslash is doubled too, because it escapes in literals of Redshift; where it did not, the text would
 * still end at the same quote.
 */
export function literal(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}

/** Writes the role of a cluster: an ARN, or `default`. */
export function roleSql(role: string): string {
  return `IAM_ROLE ${role === 'default' ? role : literal(role)}`;
}
