import type { SettingsReader } from '../../access/index.ts';
import type { Caller, Outgoing } from '../../http/index.ts';
import type { TombstoneKeys } from '../../identity/index.ts';
import type { Clock, KeyRing } from '../../kernel/index.ts';
import type { Store } from '../../store/index.ts';
import type { Processor } from '../certificates/create-processor.ts';
import type { Version } from '../read/draft.ts';
import type { ExtensionNames } from '../read/read-extension.ts';
import type { RequestLimits } from '../request-limits.ts';

export interface DsrEndpointsDeps {
  readonly store: Store;
  readonly clock: Clock;
  readonly keyRing: KeyRing;
  readonly keys: TombstoneKeys;
  readonly outgoing: Pick<Outgoing, 'whyRefused'>;
  readonly settingsOf: SettingsReader;
  /** Returns the public address of the API. */
  readonly baseUrl: () => string;
  readonly dsr: { readonly domain: string; readonly domainAliases: readonly string[] };
  readonly processor: Pick<Processor, 'signAnswer'>;
}

/** Dependencies of the room with the state that its endpoints share. */
export interface EndpointContext extends DsrEndpointsDeps {
  readonly limits: RequestLimits;
}

/** Returns what the endpoints of a version have in common. */
export function endpointOf(context: EndpointContext, version: Version) {
  return {
    ...({ api: 'dsr', credential: 'input_dsr' } as const),
    tag: version === 3 ? TAG : `${TAG}, version ${version}`,
    ...guardsOf(context, version),
  };
}

/** Returns the rate limit and the signature of every endpoint. */
export function guardsOf({ limits, processor }: EndpointContext, version: Version) {
  return {
    admit: ({ workspaceId }: Caller) => limits.admit(workspaceId),
    sign: (_caller: Caller, text: string) => processor.signAnswer(version, text),
  };
}

const TAG = 'Data subject requests';

/** Returns the path of requests, which differs in version 1. */
export function requestsPath(version: Version): string {
  return version === 1 ? '/dsr/v1/opengdpr_requests' : `/dsr/v${version}/requests`;
}

/** Returns the suffix of operation ids: `V2` or `V1` for the older versions. */
export const suffixOf = (version: Version): string => (version === 3 ? '' : `V${version}`);

/** Returns the accepted names of this processor's extension in a version, its own first. */
export function extensionNames({ dsr }: Pick<DsrEndpointsDeps, 'dsr'>, version: Version): ExtensionNames {
  const word = version === 1 ? 'opengdpr' : 'opendsr';
  return [dsr.domain, ...dsr.domainAliases].map((domain) => `${word}.${domain}`);
}
