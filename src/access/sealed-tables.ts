import type { SealedTable } from '../store/index.ts';
import { inputSecretContext } from './credentials/input-credential.ts';
import { signingKeyContext } from './tokens/signing-key.ts';

interface InputSecrets {
  readonly key: string;
  readonly secret: string;
  readonly previous_secret: string | null;
  readonly previous_until: Date | null;
  readonly revoked_on: Date | null;
}

/** Returns the secrets of input credentials. Nobody reads those of a revoked one, nor the previous secret after its grace. */
const ofInputs = (nowMs: number): SealedTable<InputSecrets> => ({
  table: 'input_credentials',
  key: ['key'],
  columns: ['secret', 'previous_secret'],
  besides: ['previous_until', 'revoked_on'],
  sealedTexts({ key, secret, previous_secret: previous, previous_until: until, revoked_on: revokedOn }) {
    const context = inputSecretContext(key);
    const current = { text: secret, context, isSpent: revokedOn !== null };
    if (previous === null) return [current];
    const isOver = until === null || until.getTime() <= nowMs;
    return [current, { text: previous, context, isSpent: current.isSpent || isOver }];
  },
});

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

/** Returns the tables in which this room stores encrypted texts. */
export const accessSecrets = (nowMs: number): readonly SealedTable[] => [ofInputs(nowMs), ofSigningKeys];
