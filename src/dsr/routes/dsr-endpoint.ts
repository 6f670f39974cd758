import type { SettingsReader } from '../../access/index.ts';
import type { Caller, Outgoing } from '../../http/index.ts';
import type { TombstoneKeys } from '../../identity/index.ts';
import type { Clock, KeyRing } from '../../kernel/index.ts';
import type { Store } from '../../store/index.ts';
import type { Processor } from '../certificates/create-processor.ts';
import type { Version } from '../read/draft.ts';
import type { ExtensionNames } from '../read/own-extension.ts';
import type { RequestLimits } from '../request-limits.ts';

export interface DsrEndpointsDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly keyRing: KeyRing;
  readonly keys: TombstoneKeys;
  readonly outgoing: Pick<Outgoing, 'whyRefused'>;
  readonly settingsOf: SettingsReader;
  /** The public address of the API. */
  readonly baseUrl: () => string;
  readonly dsr: { readonly domain: string; readonly domainAliases: readonly string[] };
  readonly processor: Pick<Processor, 'signAnswer'>;
}

/** The room's dependencies with what its endpoints share. */
export interface Serving extends DsrEndpointsDeps {
  readonly limits: RequestLimits;
}

/** What the endpoints of a version have in common. */
export function endpointOf(serving: Serving, version: Version) {
  return {
    ...({ api: 'dsr', credential: 'input_dsr' } as const),
    tag: version === 3 ? TAG : `${TAG}, version ${version}`,
    ...guardsOf(serving, version),
  };
}

/** Asked of every endpoint: how many calls may come, and who vouches for the answer. */
export function guardsOf({ limits, processor }: Serving, version: Version) {
  return {
    admit: ({ workspaceId }: Caller) => limits.admit(workspaceId),
    sign: (_caller: Caller, text: string) => processor.signAnswer(version, text),
  };
}

const TAG = 'Data subject requests';

/** Returns the path of requests, which has another name in version 1. */
export function requestsPath(version: Version): string {
  return version === 1 ? '/dsr/v1/opengdpr_requests' : `/dsr/v${version}/requests`;
}

/** `V2` and `V1` behind the operation ids of the older versions. */
export const suffixOf = (version: Version): string => (version === 3 ? '' : `V${version}`);

/** Our name for the extension in each version, and what else is taken as one of ours. */
export function extensionNames({ dsr }: Pick<DsrEndpointsDeps, 'dsr'>, version: Version): ExtensionNames {
  const word = version === 1 ? 'opengdpr' : 'opendsr';
  return [dsr.domain, ...dsr.domainAliases].map((domain) => `${word}.${domain}`);
}
