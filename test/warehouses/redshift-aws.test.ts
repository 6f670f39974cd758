// Sign-in to a provisioned Redshift cluster through the APIs of AWS as moto has them: it creates the cluster, gives out the
// credentials and the keys of roles. A server that speaks Redshift's protocol then lets in whom it gave them to.
import { CreateClusterCommand, RedshiftClient } from '@aws-sdk/client-redshift';
import { expect, it } from 'vitest';
import { redshift } from '../../connectors/redshift/index.ts';
import { NEVER, readAll, requestOf } from '../conformance/reading.ts';
import { openFakeRedshift } from '../support/fakes/fake-redshift.ts';
import { warehouseEnvironment } from '../support/fakes/warehouse-environment.ts';
import { onServer, serverOf } from '../support/warehouses/on-server.ts';

const KEY = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'secret' };
const PLACE = { aws_region: 'eu-west-1', cluster_identifier: 'shop-cluster' };

async function createCluster(endpoint: string): Promise<void> {
  const client = new RedshiftClient({ region: PLACE.aws_region, endpoint, credentials: KEY });
  const created = new CreateClusterCommand({
    ...{ ClusterIdentifier: PLACE.cluster_identifier, NodeType: 'ra3.large', MasterUsername: 'admin' },
    MasterUserPassword: 'Passw0rd-of-admin',
  });
  await client
    .send(created)
    .catch((failure: Error) => {
      // the server may be that of an earlier run
      if (failure.name !== 'ClusterAlreadyExists' && failure.name !== 'ClusterAlreadyExistsFault') throw failure;
    })
    .finally(() => client.destroy());
}

async function rowsAt(fields: object): Promise<{ readonly rows: number; readonly users: readonly string[] }> {
  const { endpoints } = serverOf('aws');
  const users: string[] = [];
  await using cluster = await openFakeRedshift(3, {
    lets: (user, password) => {
      users.push(user);
      return password.length >= 32;
    },
  });
  const config = {
    ...{ host: '127.0.0.1', port: String(cluster.port), database: 'shop', sslmode: 'disable', user: 'alice' },
    ...{ aws_access_key_id: KEY.accessKeyId, aws_secret_access_key: KEY.secretAccessKey },
    ...PLACE,
    ...fields,
  };
  await using session = await redshift.open(config, warehouseEnvironment({ endpoints }), NEVER);
  const { rows } = await readAll(session, requestOf('SELECT n FROM t'));
  return { rows: rows.length, users };
}

onServer('aws', 'signing in to Redshift through AWS', () => {
  it.each([
    ['with an access key', {}],
    [
      'with a role',
      { aws_assume_role_arn: 'arn:aws:iam::123456789012:role/penstock', aws_assume_role_external_id: 'x-7' },
    ],
  ])('reads %s', async (_, fields) => {
    await createCluster(serverOf('aws').endpoints.aws.endpoint);
    expect(await rowsAt(fields)).toEqual({ rows: 3, users: ['IAM:alice'] });
  });

  it('names the field of a cluster that is not there', async () => {
    await expect(rowsAt({ cluster_identifier: 'another-cluster' })).rejects.toMatchObject({
      code: 'WAREHOUSE_OBJECT_MISSING',
      message: expect.stringMatching(/another-cluster not found.*config\.cluster_identifier/),
    });
  });
});
