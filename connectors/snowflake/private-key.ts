import { createPrivateKey } from 'node:crypto';
import { AppError } from '../../src/kernel/index.ts';

const PEM =
  /^\s*-----BEGIN (?:ENCRYPTED |RSA )?PRIVATE KEY-----[\s\S]+-----END (?:ENCRYPTED |RSA )?PRIVATE KEY-----\s*$/;

export function isPrivateKey(text: string): boolean {
  return PEM.test(text);
}

/** Before anything is sent: the driver would say no more of a wrong passphrase than what OpenSSL says. */
export function requireReadable(pem: string, passphrase: string | undefined): void {
  const key = readKey(pem, passphrase);
  if (key.asymmetricKeyType !== 'rsa') {
    throw refusal(`holds a key of the type ${key.asymmetricKeyType}; Snowflake takes RSA keys of 2048 bits and more.`);
  }
}

function readKey(pem: string, passphrase: string | undefined) {
  try {
    return createPrivateKey({ key: pem, format: 'pem', ...(passphrase === undefined ? {} : { passphrase }) });
  } catch (cause) {
    throw refusal('cannot be read; look at it and at config.private_key_passphrase.', cause);
  }
}

function refusal(text: string, cause?: unknown): AppError {
  return new AppError('WAREHOUSE_CREDENTIALS', `config.private_key ${text}`, { cause });
}
