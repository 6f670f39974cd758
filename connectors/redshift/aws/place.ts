import { AppError, field, say } from '../../../src/kernel/index.ts';
import type { RedshiftConfig } from '../config.ts';

/** The cluster or workgroup that gives out credentials, as the API of AWS names it. */
export type Place =
  | { readonly kind: 'provisioned'; readonly cluster: string; readonly region: string }
  | { readonly kind: 'serverless'; readonly workgroup: string; readonly region: string };

/** `<cluster>.<random>.<region>.redshift.amazonaws.com`; `<workgroup>.<account>.<region>.redshift-serverless.amazonaws.com`. The region leads to an API. */
const OWN_HOST =
  /^(?<name>[a-z][a-z0-9-]*)\.[a-z0-9-]+\.(?<region>[a-z]{2}(?:-[a-z]{2,10}){1,3}-\d)\.redshift(?<serverless>-serverless)?\.amazonaws\.com(?:\.cn)?\.?$/;

/**
 * Returns the place that the fields name. What they leave out is taken from the host, where that is a name of AWS's own. Throws
 * WAREHOUSE_CONFIG that names the missing field.
 */
export function placeOf({ host, cluster_identifier, workgroup_name, aws_region }: RedshiftConfig): Place {
  const { name, region: ofHost, serverless } = OWN_HOST.exec(host.toLowerCase())?.groups ?? {};
  const region = aws_region ?? ofHost;
  const isServerless = workgroup_name !== undefined || (cluster_identifier === undefined && serverless !== undefined);
  if (region === undefined) throw lacks('config.aws_region', 'the region of the cluster or workgroup');
  if (isServerless) return { kind: 'serverless', workgroup: workgroup_name ?? name ?? '', region };
  const cluster = cluster_identifier ?? name;
  if (cluster === undefined) throw lacks('config.cluster_identifier', 'it, or workgroup_name for Redshift Serverless');
  return { kind: 'provisioned', cluster, region };
}

/** Returns the region of S3: its own field, the region of AWS, or that of the host. Throws WAREHOUSE_CONFIG without any. */
export function bucketRegionOf({ host, aws_region, s3_region }: RedshiftConfig): string {
  const region = s3_region ?? aws_region ?? OWN_HOST.exec(host.toLowerCase())?.groups?.region;
  if (region === undefined) throw lacks('config.s3_region', 'the region of the bucket');
  return region;
}

function lacks(name: string, meaning: string): AppError {
  const message = say`The host is not a name that AWS gave, so ${field(name)} is needed: give ${meaning}.`;
  return new AppError('WAREHOUSE_CONFIG', message);
}
