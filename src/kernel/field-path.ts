const PLAIN = /^[A-Za-z_$][\w$-]*$/;

/** A caller decides how long the names of its fields are. */
const SHOWN_CHARACTERS = 80;

/**
 * Adds a field or a place in a list to a path: `config`, `config.sql_query`, `attributes[2].id`, `config["odd name"]`. Long
 * names are cut.
 */
export function fieldPath(parent: string, step: string | number): string {
  if (typeof step === 'number') return `${parent}[${step}]`;
  if (step.length > SHOWN_CHARACTERS) return `${parent}[${JSON.stringify(`${step.slice(0, SHOWN_CHARACTERS)}…`)}]`;
  if (!PLAIN.test(step)) return `${parent}[${JSON.stringify(step)}]`;
  return parent === '' ? step : `${parent}.${step}`;
}
