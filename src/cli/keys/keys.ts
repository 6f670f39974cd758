import { reencryptSecrets, rotateSigningKey } from '../../access/index.ts';
import { reencryptCertificates, reencryptRequests } from '../../dsr/index.ts';
import type { CommandContext } from '../command.ts';
import { asOperator } from '../operator.ts';

/** Gives the tokens a new signing key. */
export async function rotateSigning(context: CommandContext): Promise<void> {
  await asOperator(context, (operator) => rotateSigningKey(operator));
  context.output().object({ signing_key: 'rotated' });
}

/** Writes every stored secret anew and shows how many there were. */
export async function reencrypt(context: CommandContext): Promise<void> {
  const done = await asOperator(context, async (operator) => ({
    ...(await reencryptSecrets(operator)),
    dsrCertificates: await reencryptCertificates(operator.store, operator.keyRing),
    ...(await reencryptRequests(operator.store, operator.keyRing)),
  }));
  context.output().object({
    input_credentials: done.inputCredentials,
    signing_keys: done.signingKeys,
    dsr_certificates: done.dsrCertificates,
    dsr_requests: done.dsrRequests,
    dsr_forwards: done.dsrForwards,
    dsr_partners: done.dsrPartners,
  });
}
