import { generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface KeyFiles extends AsyncDisposable {
  readonly publicKey: string;
  readonly privateKey: string;
  /** Path of the public key in PEM. */
  readonly publicFile: string;
  /** Path of the private key in PEM. */
  readonly privateFile: string;
  /** Path of a file that is not there. */
  readonly missingFile: string;
}

/** Creates an RSA key pair as files, as `openssl` writes them. */
export async function createKeyFiles(): Promise<KeyFiles> {
  const folder = await mkdtemp(join(tmpdir(), 'penstock-keys-'));
  const [publicFile, privateFile] = [join(folder, 'penstock.pub'), join(folder, 'penstock.p8')];
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  await writeFile(publicFile, publicKey);
  await writeFile(privateFile, privateKey);
  return {
    ...{ publicKey, privateKey, publicFile, privateFile },
    missingFile: join(folder, 'nothing'),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}
