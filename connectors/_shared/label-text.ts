/** What a warehouse's query log shows of a statement: `penstock pipeline=… run=…`. */
export function labelText(label: Readonly<Record<string, string>>): string {
  return ['penstock', ...Object.entries(label).map(([name, value]) => `${name}=${value}`)].join(' ');
}
