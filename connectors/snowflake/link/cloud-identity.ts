// Sign-in by the identity that the daemon's own machine has in a cloud. The SDK asks the machine's metadata service for it.
import { AppError, field, messageOf, say } from '../../../src/kernel/index.ts';
import type { ConnectorEnvironment } from '../../../src/warehouse/index.ts';
import { cutText } from '../../_shared/classifier.ts';
import { identityNotAllowed } from '../../_shared/cloud-identity.ts';
import { fieldOf } from '../../_shared/field-of.ts';
import { hostOf } from '../address.ts';
import type { SnowflakeConfig } from '../config.ts';

const FIELD = field('config.workload_identity_provider');

/** Throws WAREHOUSE_CONFIG for a connection whose workspace may not use the daemon's identity. */
export function requireAllowed(
  { workload_identity_provider: provider }: Pick<SnowflakeConfig, 'workload_identity_provider'>,
  { allowsCloudIdentity }: Pick<ConnectorEnvironment, 'allowsCloudIdentity'>,
): void {
  if (provider === undefined || allowsCloudIdentity) return;
  throw identityNotAllowed('config.workload_identity_provider');
}

/** Returns the SDK's options. The SDK gives the identity to Snowflake's hosts only, and takes `host` for where it leads. */
export function identityOf(config: SnowflakeConfig): object {
  return {
    authenticator: 'WORKLOAD_IDENTITY',
    workloadIdentityProvider: config.workload_identity_provider,
    host: hostOf(config),
  };
}

/** Returns our own error for a machine without that identity, or undefined for an error that Snowflake or the network gave. */
export function missingIdentity(
  { workload_identity_provider: provider }: Pick<SnowflakeConfig, 'workload_identity_provider'>,
  failure: unknown,
): AppError | undefined {
  if (provider === undefined || /^\d{6}$/.test(String(fieldOf(failure, 'code')))) return undefined;
  const reason = cutText(messageOf(failure));
  if (isPassing(failure, reason)) {
    const trouble = say`${FIELD}: the service that gives this machine its identity of ${provider} is in trouble. ${reason}`;
    return new AppError('WAREHOUSE_UNREACHABLE', trouble, { cause: failure });
  }
  const message = say`${FIELD}: this machine has no identity of ${provider}, or it cannot be read. ${reason}`;
  return new AppError('WAREHOUSE_CREDENTIALS', message, { cause: failure });
}

/** Words of the libraries for a metadata service that does not answer: those of Azure, of Google, and of sockets. */
const NO_ANSWER = /\bnetwork_error\b|operation was aborted|\bE(?:CONNRESET|CONNREFUSED|TIMEDOUT)\b/;

/**
 * Tells whether a later attempt may find the identity. The library of AWS hides why it found none in most cases, and so a
 * metadata service of AWS that is in trouble looks like a machine without an identity.
 */
function isPassing(failure: unknown, reason: string): boolean {
  const status = Number(fieldOf(failure, 'status') ?? fieldOf(fieldOf(failure, '$metadata'), 'httpStatusCode'));
  return status === 408 || status === 429 || status >= 500 || NO_ANSWER.test(reason);
}
