const PLAIN = /^[A-Za-z_$][\w$-]*$/;

/** Adds a field or a place in a list to a path: `config`, `config.sql_query`, `attributes[2].id`, `config["odd name"]`. */
export function fieldPath(parent: string, step: string | number): string {
  if (typeof step === 'number') return `${parent}[${step}]`;
  if (!PLAIN.test(step)) return `${parent}[${JSON.stringify(step)}]`;
  return parent === '' ? step : `${parent}.${step}`;
}
