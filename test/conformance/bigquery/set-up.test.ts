// A connection that was set up as `penstock warehouse setup-sql` says can do what its probe asks for.
import { describe, expect, it } from 'vitest';
import { setUp } from '../../../connectors/bigquery/set-up.ts';
import type { WireCall } from '../../support/bigquery/jobs-api.ts';
import { CONFIG, NUMBERS, openScripted } from '../../support/bigquery/scripted.ts';
import { NEVER } from '../reading.ts';

/** What Google documents of the roles, as far as the connector needs it. */
const METADATA = ['datasets.get', 'tables.list', 'tables.get'];
const ROLES: Readonly<Record<string, readonly string[]>> = {
  jobUser: ['jobs.create'],
  readSessionUser: ['readsessions.create'],
  metadataViewer: METADATA,
  dataEditor: [...METADATA, 'tables.getData', 'tables.create', 'tables.updateData', 'tables.delete'],
};

/** Permissions as `<permission> on <project, dataset or table>`. */
function grantedBy(table: string): ReadonlySet<string> {
  const { before, statements } = setUp.write({
    ...{ database: CONFIG.project_id, schema: CONFIG.dataset_id, table },
    user: 'penstock@my-project.iam.gserviceaccount.com',
  });
  const ofProject = before.flatMap((line) => [
    ...line.matchAll(/projects add-iam-policy-binding (\S+) .* --role (\S+)/g),
  ]);
  const inSql = statements.flatMap(({ sql }) => [...sql.matchAll(/^GRANT `(.+)` ON (?:TABLE|SCHEMA) (\S+) TO /g)]);
  const grants = [
    ...ofProject.map(([, place = '', role = '']) => ({ place, role })),
    ...inSql.map(([, role = '', place = '']) => ({ place: place.replaceAll('`', ''), role })),
  ];
  return new Set(
    grants.flatMap(({ place, role }) =>
      (ROLES[role.replace('roles/bigquery.', '')] ?? []).map((permission) => `${permission} on ${place}`),
    ),
  );
}

function neededFor({ method, path, body }: WireCall): readonly string[] {
  const [, kind, dataset, tables] = path.split('/');
  const place = `${CONFIG.project_id}.${dataset}`;
  if (kind === 'datasets') return [`${tables === undefined ? 'datasets.get' : 'tables.list'} on ${place}`];
  if (kind !== 'jobs' || method !== 'POST') return [];
  const { query } = (JSON.parse(body) as { configuration: { query: { query: string } } }).configuration.query;
  const tablesRead = [...query.matchAll(/FROM `([^`]+)`/g)].map(([, table]) => `tables.getData on ${table}`);
  return [`jobs.create on ${CONFIG.project_id}`, ...tablesRead];
}

async function probeOf(tables: readonly string[], granted: ReadonlySet<string>) {
  const body = {
    tables: tables.map((tableId) => ({
      tableReference: { projectId: CONFIG.project_id, datasetId: CONFIG.dataset_id, tableId },
    })),
  };
  await using scripted = await openScripted(
    { fields: NUMBERS, rows: [] },
    { other: async ({ path }) => ({ status: 200, body: path.endsWith('/tables') ? body : { location: 'EU' } }) },
  );
  const asked = new Set<string>();
  scripted.api.fault = (call) => {
    const needed = neededFor(call);
    for (const permission of needed) asked.add(permission);
    const [missing] = needed.filter((permission) => !granted.has(permission));
    if (missing === undefined) return undefined;
    const message = `Access Denied: Permission bigquery.${missing} denied`;
    const error = { code: 403, message, errors: [{ reason: 'accessDenied', message }] };
    return { status: 403, body: JSON.stringify({ error }) };
  };
  await using session = await scripted.open();
  const stages = await session.probe(NEVER);
  return { asked: [...asked], failed: stages.filter(({ status }) => status === 'failed') };
}

describe('what the set-up script grants', () => {
  it('is enough for the probe, also beside tables that nobody may read', async () => {
    const { asked, failed } = await probeOf(['addresses', 'people'], grantedBy('people'));
    expect(failed).toEqual([]);
    expect(asked).toEqual(
      expect.arrayContaining(['datasets.get on my-project.shop', 'tables.list on my-project.shop']),
    );
    expect(asked).toContain('tables.getData on my-project.shop.people');
  });

  it('is missing where no table of the dataset may be read', async () => {
    const { failed } = await probeOf(['addresses', 'orders'], grantedBy('people'));
    expect(failed).toMatchObject([{ name: 'read', message: expect.stringContaining('roles/bigquery.dataViewer') }]);
  });
});
