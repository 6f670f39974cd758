import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Of a file that is only ours to read, and whose key is worth nothing. */
export const PASSPHRASE = 'penstock';

/** Makes key and certificate of this start as `tls.p12` in the folder; gives the certificate as PEM. Java brings the tool. */
export async function makeCertificate(folder: string): Promise<string> {
  const store = ['-alias', 'gateway', '-keystore', join(folder, 'tls.p12'), '-storepass', PASSPHRASE];
  const names = ['-dname', 'CN=localhost', '-ext', 'san=dns:localhost,ip:127.0.0.1', '-ext', 'bc:critical=ca:true'];
  const key = ['-keyalg', 'EC', '-groupname', 'secp256r1', '-storetype', 'PKCS12', '-validity', '3650'];
  await run('keytool', ['-genkeypair', ...store, ...names, ...key]);
  const { stdout } = await run('keytool', ['-exportcert', '-rfc', ...store]);
  return stdout;
}
