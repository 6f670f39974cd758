import { expect } from 'vitest';
import type { Caller } from '../../../src/http/index.ts';
import { createConnection } from '../../../src/pipelines/connections/save-connection.ts';
import { createDataModel } from '../../../src/pipelines/data-models/save-data-model.ts';
import type { PipelinesDeps } from '../../../src/pipelines/index.ts';
import { createFieldTransformation } from '../../../src/pipelines/transformations/save-field-transformation.ts';
import { someWorkspace, testKeyRing } from '../apis/test-access.ts';

/** The first workspace, with connection, model and transformation `visits`: a screen view named after `hour` for each row. */
export async function saveVisits(deps: PipelinesDeps, caller: Caller): Promise<void> {
  const { workspaceId } = await someWorkspace({ ...deps, keyRing: testKeyRing() });
  expect(workspaceId).toBe(caller.workspaceId);
  const base = { id: 'visits', name: 'Visits', state: 'active' } as const;
  await createConnection(deps, caller, {
    body: { ...base, service_provider: 'DuckDB', config: { database: 'd' } },
  });
  await createDataModel(deps, caller, {
    body: { ...base, type: 'sql', config: { sql_query: 'SELECT * FROM visits' } },
  });
  await createFieldTransformation(deps, caller, visitsTransformation);
}

export const visitsTransformation: Parameters<typeof createFieldTransformation>[2] = {
  ...{ id: 'visits', name: 'Visits', destination_type: 'events' },
  mappings: [
    { mapping_type: 'static', value: 'screen_view', destination: 'events.event_type' },
    { mapping_type: 'column', source: 'hour', destination: 'events.data.screen_name' },
    { mapping_type: 'column', source: 'customer_id', destination: 'user_identities.customer_id' },
  ],
};
