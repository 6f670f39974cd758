import { Type } from 'typebox';
import { defineEndpoint, type Endpoint, NO_PARAMETERS } from '../../http/index.ts';
import type { Processor } from './create-processor.ts';

const FILES = [
  { path: '/certificates/opendsr.pem', suffix: '', who: 'versions 2 and 3' },
  { path: '/certificates/opengdpr.pem', suffix: 'V1', who: 'version 1' },
] as const;

const PEM = 'application/x-pem-file';

/** Returns the endpoints of the certificates that discovery names as `processor_certificate` (D-051). */
export function certificateEndpoints({ published }: Pick<Processor, 'published'>): readonly Endpoint[] {
  return FILES.map(({ path, suffix, who }) =>
    defineEndpoint({
      api: 'dsr',
      method: 'GET',
      path,
      credential: 'none',
      tag: 'Data subject requests',
      operationId: `getProcessorCertificate${suffix}`,
      summary: `Get the certificate of ${who}`,
      description:
        'PEM of the certificate that signs answers and callbacks, followed by earlier certificates until they expire.',
      params: NO_PARAMETERS,
      query: NO_PARAMETERS,
      responses: { 200: Type.String({ contentMediaType: PEM }) },
      handler: async () => ({
        status: 200,
        body: await published(),
        headers: { 'content-type': PEM, 'cache-control': 'public, max-age=60' },
      }),
    }),
  );
}
