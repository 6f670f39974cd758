// Runs one write-back of numbered keys in a process of its own, which a test kills: `node write-back-child.ts <JSON>`.
import { redshift } from '../../../connectors/redshift/index.ts';
import { warehouseEnvironment } from '../fakes/warehouse-environment.ts';

/** Work of the process, as its argument. */
export interface ChildWork {
  readonly config: Readonly<Record<string, string>>;
  /** Address of the APIs of AWS. */
  readonly endpoint: string;
  /** Name of the staging table. */
  readonly staging: string;
  /** Number of keys: `0`, `1` …, in the column `customer_id` of the table `people`. */
  readonly keys: number;
}

const { config, endpoint, staging, keys }: ChildWork = JSON.parse(process.argv[2] ?? '');
const { signal } = new AbortController();
const environment = warehouseEnvironment({ endpoints: { aws: { endpoint } }, writes: true });
await using session = await redshift.open(config, environment, signal);
const target = {
  table: 'people',
  key: [{ name: 'customer_id', type: 'text', nativeType: 'character varying(65535)' }],
  mpid: { name: 'mpid', type: 'integer', nativeType: 'bigint' },
} as const;
const rows = Array.from({ length: keys }, (_, n) => ({ key: [String(n)], readMpid: null, mpid: 7n }));
await session.writeBack?.apply({ target, rows, staging, beforeUpdate: async () => [], mostListed: 10 }, signal);
