// Outcomes of the sentences, from vitest's reports: one row a sentence, one column a product.

/** One test of a report, by the titles that `sentence` gives. */
export interface Assertion {
  readonly ancestorTitles: readonly string[];
  readonly title: string;
  readonly status: string;
}

export interface Product {
  readonly name: string;
  /** What proves a sentence; undefined: the build has no connector for it. */
  readonly proof: ((sentence: number) => string) | undefined;
}

export interface Table {
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Each waiver with its reason, and each failure. */
  readonly notes: readonly string[];
  readonly failed: number;
  readonly notRun: number;
}

interface Verdict {
  readonly kind: 'pass' | 'waived' | 'not run' | 'failed' | 'no connector';
  readonly text: string;
  readonly notes: readonly string[];
}

const MOST_CHARACTERS = 48;
const WAIVED = /\(waived: (.*)\)$/;
const NOT_RUN = /\(not run: (.*)\)$/;

export function tabulate(assertions: readonly Assertion[], products: readonly Product[]): Table {
  const sentences = sentencesOf(assertions);
  const verdicts = sentences.map(([number]) => products.map((product) => judge(assertions, product, number)));
  const count = (kind: Verdict['kind']) => verdicts.flat().filter((verdict) => verdict.kind === kind).length;
  return {
    head: ['sentence', ...products.map(({ name }) => name)],
    rows: sentences.map(([number, text], row) => [
      `${number}. ${text}`,
      ...(verdicts[row] ?? []).map((verdict) => verdict.text),
    ]),
    notes: verdicts.flat().flatMap(({ notes }) => notes),
    failed: count('failed'),
    notRun: count('not run'),
  };
}

/** By number; a long text is cut. */
function sentencesOf(assertions: readonly Assertion[]): readonly (readonly [number, string])[] {
  const found = new Map<number, string>();
  for (const { ancestorTitles } of assertions) {
    const [, number, text = ''] = /^[^:]+: (\d+)\. (.*)$/.exec(ancestorTitles[0] ?? '') ?? [];
    if (number !== undefined) found.set(Number(number), shorten(text.replace(NOT_RUN, '').trim()));
  }
  return [...found].sort(([left], [right]) => left - right);
}

function shorten(text: string): string {
  return text.length <= MOST_CHARACTERS ? text : `${text.slice(0, MOST_CHARACTERS - 1).trimEnd()}…`;
}

function judge(assertions: readonly Assertion[], { name, proof }: Product, number: number): Verdict {
  if (proof === undefined) return { kind: 'no connector', text: 'no connector', notes: [] };
  const where = `${name} ${number}`;
  const own = assertions.filter(({ ancestorTitles }) => ancestorTitles[0]?.startsWith(`${name}: ${number}. `));
  if (own.length === 0) return { kind: 'failed', text: 'FAILED: no test', notes: [`${where}: no test was found`] };
  const failed = own.filter(({ status }) => status === 'failed');
  if (failed.length > 0) {
    const notes = failed.map((test) => `${where} failed: ${titleOf(test)}`);
    return { kind: 'failed', text: `FAILED: ${failed.length} of ${own.length}`, notes };
  }
  const notRun = NOT_RUN.exec(own[0]?.ancestorTitles[0] ?? '');
  if (notRun !== null) return { kind: 'not run', text: 'not run', notes: [] };
  const waivers = waiversOf(own);
  const notes = [...waivers].map(([what, reason]) => `${where} waived: ${what}: ${reason}`);
  const passed = own.filter(({ status }) => status === 'passed').length;
  if (passed === 0) return { kind: 'waived', text: 'waived', notes };
  const besides = waivers.size > 0 ? `, ${waivers.size} waived` : '';
  return { kind: 'pass', text: `pass (${proof(number)}${besides})`, notes };
}

/** What was waived → why; the reason stands in the title of the test or of a part around it. */
function waiversOf(assertions: readonly Assertion[]): ReadonlyMap<string, string> {
  const waivers = new Map<string, string>();
  for (const { ancestorTitles, title, status } of assertions) {
    const waived = [...ancestorTitles.slice(1), title].find((text) => WAIVED.test(text));
    if (status === 'passed' || waived === undefined) continue;
    waivers.set(waived.replace(WAIVED, '').trim(), WAIVED.exec(waived)?.[1] ?? '');
  }
  return waivers;
}

function titleOf({ ancestorTitles, title }: Assertion): string {
  return [...ancestorTitles.slice(1), title].join(' > ');
}
