// Tables of pages that are made from code: each stands between two markers, `<!-- name -->` and `<!-- /name -->`.

/** The tables of a page by the names of their markers. */
export type Tables = Readonly<Record<string, () => string>>;

export const code = (text: string): string => (text === '' ? '' : `\`${text}\``);

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** The text of a page with every table between its markers made anew. */
export function withTables(text: string, tables: Tables): string {
  return Object.entries(tables).reduce((page, [name, render]) => {
    const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
    const from = page.indexOf(open);
    const to = page.indexOf(close);
    if (from < 0 || to < from) throw new Error(`The page lacks the markers of the table "${name}".`);
    return `${page.slice(0, from + open.length)}\n${render()}\n${page.slice(to)}`;
  }, text);
}
