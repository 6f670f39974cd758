import { createPrivateKey } from 'node:crypto';
import { AppError, field, say, template, type Worded } from '../../../src/kernel/index.ts';

const PEM =
  /^\s*-----BEGIN (?:ENCRYPTED |RSA )?PRIVATE KEY-----[\s\S]+-----END (?:ENCRYPTED |RSA )?PRIVATE KEY-----\s*$/;

export function isPrivateKey(text: string): boolean {
  return PEM.test(text);
}

/** Checks the key before anything is sent: for a wrong passphrase, the driver would only repeat OpenSSL's message. */
export function requireReadable(pem: string, passphrase: string | undefined): void {
  const key = readKey(pem, passphrase);
  if (key.asymmetricKeyType !== 'rsa') {
    throw refusal(
      `contains a key of the type ${key.asymmetricKeyType}; Snowflake accepts RSA keys of at least 2048 bits.`,
    );
  }
}

function readKey(pem: string, passphrase: string | undefined) {
  try {
    return createPrivateKey({ key: pem, format: 'pem', ...(passphrase === undefined ? {} : { passphrase }) });
  } catch (cause) {
    throw refusal(template('cannot be read; check it and {config.private_key_passphrase}.'), cause);
  }
}

function refusal(text: string | Worded, cause?: unknown): AppError {
  return new AppError('WAREHOUSE_CREDENTIALS', say`${field('config.private_key')} ${text}`, { cause });
}
