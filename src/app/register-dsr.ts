import type { SettingsReader } from '../access/index.ts';
import type { Config } from '../config.ts';
import { registerRequestWorker, registerResultExpiry, registerVacuum } from '../dsr/index.ts';
import { createTombstones } from '../identity/index.ts';
import type { Jobs } from '../jobs/index.ts';
import { type Clock, createIdSource, type KeyRing, type Log, type Secret, systemRandom } from '../kernel/index.ts';
import type { Store } from '../store/index.ts';

interface DsrParts {
  readonly config: Pick<Config, 'dsr' | 'engine'>;
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly keyRing: KeyRing;
  readonly identityKey: Secret;
  readonly jobs: Jobs;
  readonly settingsOf: SettingsReader;
}

/** Registers the jobs of data subject requests. */
export async function registerDsr({ config, ...parts }: DsrParts): Promise<void> {
  const tombstones = createTombstones(parts.identityKey);
  const nextId = createIdSource(parts.clock);
  await registerResultExpiry(parts);
  const works = config.engine.workers > 0;
  await registerVacuum(parts, { works });
  await registerRequestWorker(
    { ...parts, tombstones, nextId, random: systemRandom, fillerCarriers: config.dsr.fillerCarriers },
    { works, accessCron: config.dsr.accessCron },
  );
}
