import type { ConnectorEnvironment } from '../../../src/warehouse/index.ts';

/** The environment of connectors with small limits; any host is allowed. */
export function warehouseEnvironment(decided: Partial<ConnectorEnvironment> = {}): ConnectorEnvironment {
  return {
    ...{
      folder: '/nowhere',
      allowsEmbedded: true,
      memoryMb: 64,
      threads: 1,
      spillMb: 256,
      statementTimeoutMs: 60_000,
      messageBytes: 1 << 26,
    },
    network: { allowedHosts: [], refused: [] },
    allowsCloudIdentity: false,
    bigquery: { maxBytesBilled: 0, location: undefined },
    endpoints: {},
    ...decided,
  };
}
