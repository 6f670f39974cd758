import { AppError, refuse } from '../kernel/index.ts';
import { configChecker } from './check-config.ts';
import type { Connector, ConnectorSpec } from './connector.ts';
import { guardSession, runGuarded } from './guard-session.ts';

/**
 * Holds what is true for every connector, so that none has to remember it: the configuration is checked before anything
 * opens (WAREHOUSE_CONFIG with its issues); an abort before the start touches nothing; only AppError leaves, an abort is
 * CANCELLED whatever the driver threw; the chunk iterator's `return` runs once, however the loop ends, and at the latest
 * when the session closes; two columns of one name are MODEL_INVALID, and rows with other columns than those that were
 * described are MODEL_CHANGED. Nothing is retried in here (D-080).
 */
export function defineConnector(spec: ConnectorSpec): Connector {
  const checkConfig = configChecker(spec.configSchema);
  const classify = (error: unknown): AppError => (error instanceof AppError ? error : spec.classify(error));
  return {
    ...spec,
    classify,
    checkConfig,
    open: (config, environment, signal) =>
      runGuarded(signal, classify, async () => {
        const issues = checkConfig(config);
        if (issues.length > 0) throw new AppError('WAREHOUSE_CONFIG', refuse(issues).message, { issues });
        return guardSession(await spec.open(config, environment, signal), classify);
      }),
  };
}
