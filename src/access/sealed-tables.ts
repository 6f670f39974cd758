import type { SealedTable } from '../store/index.ts';
import { inputSecretContext } from './input-credential.ts';
import { signingKeyContext } from './signing-key.ts';

interface InputSecrets {
  readonly key: string;
  readonly secret: string;
  readonly previous_secret: string | null;
}

const ofInputs: SealedTable<InputSecrets> = {
  table: 'input_credentials',
  key: ['key'],
  columns: ['secret', 'previous_secret'],
  sealedTexts: ({ key, secret, previous_secret: previous }) =>
    [secret, ...(previous === null ? [] : [previous])].map((text) => ({ text, context: inputSecretContext(key) })),
};

interface PrivateKey {
  readonly id: string;
  readonly private_key: string;
}

const ofSigningKeys: SealedTable<PrivateKey> = {
  table: 'signing_keys',
  key: ['id'],
  columns: ['private_key'],
  sealedTexts: ({ id, private_key: text }) => [{ text, context: signingKeyContext(id) }],
};

/** What this room keeps encrypted. */
export const accessSecrets: readonly SealedTable[] = [ofInputs, ofSigningKeys];
