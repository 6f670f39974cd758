// A cluster, and a workspace without the preview of query tags, refuse the settings of Databricks SQL.
import { describe, expect, it } from 'vitest';
import { databricks } from '../../../connectors/databricks/index.ts';
import {
  callsOf,
  DATABRICKS_CONFIG,
  type DatabricksWarehouse,
  databricksEndpoint,
  openDatabricksWarehouse,
} from '../../support/fakes/databricks-warehouse.ts';
import { openDatabricksWire, type WireSettings } from '../../support/fakes/databricks-wire.ts';
import { CLUSTER_PATH } from '../../support/servers/databricks/gateway.ts';
import { decode, T } from '../../support/servers/databricks/thrift.ts';
import { onServer } from '../../support/warehouses/on-server.ts';
import { databricksFixture } from '../fixtures/databricks.ts';
import { NEVER, readAll, requestOf } from '../reading.ts';
import { applyRequest, peopleOf, peopleTable, STAGING, staged, targetOf, writeBackOf } from '../writing-back.ts';
import { calls, openOn } from './open-on.ts';

const ON_CLUSTER = { http_path: CLUSTER_PATH };
const TAGGED = requestOf('SELECT 1 AS one', { label: { run: '7' } });

/** Tells of each statement whether it carried tags, in order. */
function tagsOf({ proxy }: DatabricksWarehouse): readonly (string | undefined)[] {
  const sent = proxy.seen.filter(calls('ExecuteStatement')).map(({ body }) => decode(body, T.TExecuteStatementReq));
  return sent.map((statement) => statement?.confOverlay?.query_tags);
}

onServer('databricks', 'Databricks without the settings of Databricks SQL', () => {
  it('opens a session without its timeout, and reads without tags from the second try on', async () => {
    await using warehouse = await openDatabricksWarehouse();
    await using session = await openOn(warehouse, ON_CLUSTER);
    expect((await readAll(session, TAGGED)).rows).toEqual([[1]]);
    expect(callsOf(warehouse.proxy, 'OpenSession')).toBe(2);
    expect(tagsOf(warehouse).filter((tags) => tags !== undefined)).toEqual(['application:penstock,run:7']);
    const before = tagsOf(warehouse).length;
    expect((await readAll(session, TAGGED)).rows).toEqual([[1]]);
    expect(tagsOf(warehouse).slice(before)).toEqual([undefined, undefined]);
  });

  it('writes back once, without tags', async () => {
    await using warehouse = await openDatabricksWarehouse();
    await warehouse.seed(peopleTable(databricksFixture, [['ann', 'a@x.org', null, 'one', 1]]));
    await using session = await openOn(warehouse, ON_CLUSTER, { writes: true });
    const target = await targetOf(databricksFixture, session);
    const written = await writeBackOf(session).apply(applyRequest(target, [staged('ann', 5n)]), NEVER);
    expect(written).toMatchObject({ updated: 1, conflicts: 0 });
    expect(tagsOf(warehouse).filter((tags) => tags !== undefined)).toHaveLength(1);
    expect(await peopleOf(databricksFixture, warehouse)).toEqual([['ann', 'a@x.org', 5n, 'one', 1]]);
    expect(await warehouse.staging()).not.toContain(STAGING);
  });
});

describe('a refusal that comes when the statement ends', () => {
  const refused = {
    refused:
      'org.apache.hive.service.cli.HiveSQLException: Error running query: [CONFIG_NOT_AVAILABLE] org.apache.spark.sql.AnalysisException: [CONFIG_NOT_AVAILABLE] Configuration query_tags is not available. SQLSTATE: 42K0I',
    sqlState: '42K0I',
  };
  const openOnWire = async (isKnown: (settings: WireSettings) => boolean) => {
    const tagged: string[] = [];
    const untagged: string[] = [];
    const wire = await openDatabricksWire({
      answer(sql, settings) {
        (settings.query_tags === undefined ? untagged : tagged).push(sql);
        return isKnown(settings) ? { columnSet: [] } : refused;
      },
    });
    const config = { ...DATABRICKS_CONFIG, schema: 'shop', token: 'dapi0123' };
    const environment = databricksEndpoint(wire.port, { writes: true });
    const session = await databricks.open(config, environment, NEVER);
    return {
      ...{ tagged, untagged, session },
      async [Symbol.asyncDispose]() {
        await session[Symbol.asyncDispose]();
        await wire[Symbol.asyncDispose]();
      },
    };
  };
  const target = { table: 't', key: [], mpid: { name: 'MPID', type: 'integer', nativeType: 'bigint' } } as const;

  it('is remembered as well', async () => {
    await using opened = await openOnWire(({ query_tags: tags }) => tags === undefined);
    const { clear } = writeBackOf(opened.session);
    await clear(target, [1n], NEVER);
    await clear(target, [1n], NEVER);
    expect(opened.tagged).toHaveLength(1);
    expect(opened.untagged.filter((sql) => sql.startsWith('UPDATE'))).toHaveLength(2);
  });

  it('makes one more try, and no third', async () => {
    let isOpening = true;
    await using opened = await openOnWire(() => isOpening);
    await opened.session.clock(NEVER).catch(() => undefined);
    isOpening = false;
    const clearing = writeBackOf(opened.session).clear(target, [1n], NEVER);
    await expect(clearing).rejects.toMatchObject({ code: 'WAREHOUSE_SQL_INVALID' });
    expect(opened.tagged).toHaveLength(1);
    expect(opened.untagged.filter((sql) => sql.startsWith('UPDATE'))).toHaveLength(1);
  });
});
