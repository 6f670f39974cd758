// The rows of the crash tests. They are computed from numbers, so the expected result is known without a query.

export interface SourceRow {
  readonly number: number;
  /** Three rows that follow each other are of one buyer. */
  readonly buyer: number;
  readonly name: string;
  /** Exact decimal text. */
  readonly amount: string;
  /** `NaN` cannot be mapped: the row fails. */
  readonly score: '1' | 'NaN';
  /** With microseconds; 250 rows share three instants. */
  readonly changed_at: string;
}

const TIED = 250;
const STEP_MS = 10;
/** Rows of a later round have to lie behind the range of the round before and before the trigger that reads them. */
const SOON_MS = 2000;

/** Rows `from` to `to - 1`, changed that long ago. One in 40 stands there twice, equal in every column; one in 100 cannot be mapped. */
export function sourceRows(from: number, to: number, agoMs = SOON_MS): readonly SourceRow[] {
  const rows: SourceRow[] = [];
  const changedMs = Date.now() - agoMs;
  for (let number = from; number < to; number++) {
    const row = sourceRow(number, changedMs + Math.floor((number - from) / TIED) * STEP_MS);
    rows.push(row);
    if (number % 40 === 3) rows.push(row);
  }
  return rows;
}

function sourceRow(number: number, changedMs: number): SourceRow {
  const millisecond = new Date(changedMs).toISOString().slice(0, 23);
  return {
    number,
    buyer: Math.floor(number / 3),
    name: `Näme "${number % 97}" \\ ${number}`,
    amount: `${number % 1000}.${String(number % 100).padStart(2, '0')}`,
    score: number % 100 === 7 ? 'NaN' : '1',
    changed_at: `${millisecond}${455 + (number % 3)}Z`,
  };
}

export const fails = ({ score }: SourceRow): boolean => score === 'NaN';
