import { generateKeyPairSync } from 'node:crypto';

/** A private key in PEM, as Google makes them; a new one in each process. */
export const PRIVATE_KEY: string = generateKeyPairSync('rsa', { modulusLength: 2048 })
  .privateKey.export({ type: 'pkcs8', format: 'pem' })
  .toString();

export const EMAIL = 'penstock@test.iam.gserviceaccount.com';

/** The file that Google hands out with a key. */
export function keyFile(changed: object = {}): string {
  return JSON.stringify({
    type: 'service_account',
    project_id: 'test',
    private_key_id: '0123456789abcdef',
    private_key: PRIVATE_KEY,
    client_email: EMAIL,
    client_id: '1234567890',
    token_uri: 'https://oauth2.googleapis.com/token',
    universe_domain: 'googleapis.com',
    ...changed,
  });
}
