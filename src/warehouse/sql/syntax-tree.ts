// The parser's tree without its thousand types. A node is an object with one key, its kind.

export interface Node {
  readonly kind: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Returns the node that a value represents. Returns undefined for anything else (a list, a text, a struct of a node). */
export function nodeOf(value: unknown): Node | undefined {
  if (typeof value === 'string') return { kind: value, fields: {} };
  if (!isRecord(value)) return undefined;
  const keys = Object.keys(value);
  const [kind] = keys;
  if (kind === undefined || keys.length !== 1) return undefined;
  const fields = value[kind];
  return { kind, fields: isRecord(fields) ? fields : {} };
}

/** Visits every node below and including `root`. Not recursive, because the customer chooses the depth of the tree. */
export function visitNodes(root: unknown, visit: (node: Node) => void): void {
  const pending: unknown[] = [root];
  while (pending.length > 0) {
    const value = pending.pop();
    if (typeof value !== 'object' || value === null) continue;
    const node = Array.isArray(value) ? undefined : nodeOf(value);
    if (node !== undefined) visit(node);
    for (const child of Object.values(value)) pending.push(child);
  }
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
