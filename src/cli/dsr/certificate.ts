import { X509Certificate } from 'node:crypto';
import type { Config } from '../../config.ts';
import { createProcessor, type Processor } from '../../dsr/index.ts';
import { createLog } from '../../kernel/index.ts';
import type { CommandContext } from '../command.ts';
import { asOperator, type Operator } from '../operator.ts';

/** Returns the processor that signs, with the daemon's settings. */
export function processorOf({ store, clock, keyRing }: Operator, { dsr }: Config): Processor {
  const log = createLog('warn', process.stderr);
  return createProcessor({ store, clock, keyRing, log, domain: dsr.domain, files: dsr.certificate });
}

/** Returns the public address of the API. With port 0, only the daemon knows the port. */
export function publicAddress({ http }: Config): string {
  return http.baseUrl ?? `${http.tls === undefined ? 'http' : 'https'}://${http.host}:${http.port}`;
}

export async function show(context: CommandContext, { rotate }: { readonly rotate?: true }): Promise<void> {
  const config = context.config();
  const shown = await asOperator(context, async (operator) => {
    const processor = processorOf(operator, config);
    if (rotate) await processor.rotate();
    const { certificate, isConfigured } = await processor.current();
    return { certificate, isConfigured, published: await processor.published() };
  });
  const { domain } = config.dsr;
  const { fingerprint256, validFrom, validTo } = new X509Certificate(shown.certificate);
  const address = publicAddress(config);
  const facts = {
    processor_domain: `opendsr.${domain}`,
    processor_domain_v1: `opengdpr.${domain}`,
    source: shown.isConfigured ? 'configuration' : 'self-signed',
    sha256_fingerprint: fingerprint256,
    valid_from: new Date(validFrom).toISOString(),
    valid_to: new Date(validTo).toISOString(),
    certificate_url: `${address}/certificates/opendsr.pem`,
    certificate_url_v1: `${address}/certificates/opengdpr.pem`,
  };
  const output = context.output();
  if (output.json) return output.object({ ...facts, published: shown.published });
  output.object(facts);
  output.line(`\n${shown.published.trimEnd()}`);
  if (rotate)
    output.note('A new certificate is used after it has been served for a minute; until then the old one is shown.');
}
