import { AppError } from '../../kernel/index.ts';
import type { FaultSubject } from '../lifecycle/fault-subject.ts';
import type { Counts } from '../lifecycle/held-run.ts';
import type { MappedChunk } from './read-chunks.ts';

/** A run that has read so many rows and mapped none fails (D-093). */
const UNMAPPED_ROWS_MOST = 1000;

/** Throws NO_ROW_MAPPED. Deduplicated rows were mapped by an earlier run, and rows of erased people are mapped too. */
export function requireMappedRows(progress: Counts, chunk: MappedChunk): void {
  const { failed, successful, deduplicated, erased } = progress;
  if (failed < UNMAPPED_ROWS_MOST || successful > 0 || deduplicated > 0 || erased > 0) return;
  throw noRowMapped(progress, chunk);
}

function noRowMapped({ failed }: Counts, { mapped }: MappedChunk): AppError {
  const [first] = mapped.refused;
  const where = first === undefined || first.refusal.field === '' ? '' : `column "${first.refusal.field}": `;
  const example = first === undefined ? 'The failed records say why.' : `For example: ${where}${first.refusal.reason}`;
  const message = `None of the first ${failed} rows could be mapped. ${example} Fix the model or the transformation, then trigger a run.`;
  return new AppError('NO_ROW_MAPPED', message, { subject: 'pipeline' satisfies FaultSubject });
}
