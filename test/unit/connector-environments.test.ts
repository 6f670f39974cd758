import { describe, expect, it } from 'vitest';
import { connectorEnvironments } from '../../src/app.ts';
import { readConfig } from '../../src/config.ts';
import { workspaceId } from '../../src/kernel/index.ts';

describe('the cloud identity of the daemon', () => {
  it.each([
    [{}, []],
    [{ PENSTOCK_CLOUD_IDENTITY: '7' }, ['7']],
    [{ PENSTOCK_CLOUD_IDENTITY: '7, 70' }, ['7', '70']],
    [{ PENSTOCK_CLOUD_IDENTITY: 'all' }, ['7', '70', '700']],
  ])('with %j may be used by the workspaces %j and no other', (environment, allowed) => {
    const environmentOf = connectorEnvironments(readConfig(environment), { databaseUrl: 'postgres://u:p@127.0.0.1/d' });
    const asked = ['7', '70', '700'].filter((id) => environmentOf(workspaceId(BigInt(id))).allowsCloudIdentity);
    expect(asked).toEqual(allowed);
  });
});
