/** Returns the label of a statement in the warehouse's query log: `penstock pipeline=… run=…`. */
export function labelText(label: Readonly<Record<string, string>>): string {
  return ['penstock', ...Object.entries(label).map(([name, value]) => `${name}=${value}`)].join(' ');
}
