// Findings of the doctor about pipelines that a fault keeps from running, whichever resource has the fault.
import { listWorkspaces } from '../../access/index.ts';
import { workspaceId } from '../../kernel/index.ts';
import { loadPipelines, pipelineErrors, stoppedBy } from '../../pipelines/index.ts';
import type { Store } from '../../store/index.ts';
import type { Finding } from './finding.ts';

const SHOWN = 20;
const FIX =
  'Fix what the message names, then PUT the faulted resource or trigger the pipeline: either clears the fault.';

/** Lists the faulted pipelines of all workspaces, the first 20 by name, or reports that there are none. */
export async function examinePipelines(store: Store): Promise<readonly Finding[]> {
  const faulted: Finding[] = [];
  let active = 0;
  for (const { id } of await listWorkspaces(store)) {
    for (const context of await loadPipelines(store, { workspaceId: workspaceId(id) })) {
      if (stoppedBy(context) !== undefined) continue;
      active += 1;
      const found = pipelineErrors(context).map(({ message }) => message);
      if (found.length === 0) continue;
      faulted.push({
        check: `pipeline ${id}/${context.pipeline.id}`,
        status: 'failed',
        found: found.join(' '),
        fix: FIX,
      });
    }
  }
  if (faulted.length === 0) return [{ check: 'pipelines', status: 'ok', found: `${active} active, none faulted` }];
  const rest = faulted.length - SHOWN;
  const more: Finding = { check: 'pipelines', status: 'failed', found: `${rest} more are faulted`, fix: FIX };
  return [...faulted.slice(0, SHOWN), ...(rest > 0 ? [more] : [])];
}
