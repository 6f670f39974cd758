import type { TSchema } from 'typebox';
import { AppError, refuse } from '../kernel/index.ts';
import { configChecker } from './check-config.ts';
import type { Connector, ConnectorSpec } from './connector.ts';
import { guardSession, runGuarded } from './guard-session.ts';

/**
 * Returns a connector with the guarantees that hold for all of them. Nothing is retried in here (D-080).
 * - The configuration is checked before anything opens (WAREHOUSE_CONFIG with its issues).
 * - An abort before the start touches nothing. Only AppError is thrown; after an abort it is CANCELLED, whatever the driver
 *   threw.
 * - The chunk iterator's `return` runs once, however the loop ends, and at the latest when the session closes.
 * - Two columns of one name are MODEL_INVALID. Rows with other columns than those described are MODEL_CHANGED.
 */
export function defineConnector<Schema extends TSchema>(spec: ConnectorSpec<Schema>): Connector {
  const { accepts, complaints } = configChecker(spec.configSchema);
  const classify = (error: unknown): AppError => (error instanceof AppError ? error : spec.classify(error));
  return {
    ...spec,
    classify,
    checkConfig: complaints,
    checkAddress: async (config, environment) =>
      accepts(config) ? ((await spec.checkAddress?.(config, environment)) ?? []) : [],
    open: (config, environment, signal) =>
      runGuarded(signal, classify, async () => {
        if (!accepts(config)) {
          const issues = complaints(config);
          throw new AppError('WAREHOUSE_CONFIG', refuse(issues).message, { issues });
        }
        return guardSession(await spec.open(config, environment, signal), classify);
      }),
  };
}
