import { expect } from 'vitest';
import type { Caller } from '../../src/http/index.ts';
import type { SyncDeps } from '../../src/sync/index.ts';
import { createConnection } from '../../src/sync/save-connection.ts';
import { createDataModel } from '../../src/sync/save-data-model.ts';
import { createFieldTransformation } from '../../src/sync/save-field-transformation.ts';
import { someWorkspace, testKeyRing } from './test-access.ts';

/** The first workspace, with connection, model and transformation `visits`: a screen view named after `hour` for each row. */
export async function saveVisits(deps: SyncDeps, caller: Caller): Promise<void> {
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
