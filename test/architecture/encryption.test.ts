import { expect, test } from 'vitest';
import { readSource } from './source-tree.ts';

// Who adds a place here adds its table to the `sealed-tables.ts` of the room, so that `penstock keys re-encrypt` finds it.
const SEALING = [
  'src/access/credentials/input-credential.ts',
  'src/access/tokens/signing-key.ts',
  'src/dsr/certificates/stored-certificates.ts',
  'src/dsr/forwarding/partner.ts',
  'src/dsr/forwarding/queue-forwards.ts',
  'src/dsr/request.ts',
  'src/pipelines/connections/connection-config.ts',
  'src/pipelines/pipelines/read-feed.ts',
  'src/store/reencrypt.ts',
];

test('every place that encrypts is known to the re-encryption', () => {
  const sealing = readSource().filter(({ tree }) => /\.encrypt\(/.test(tree.text));
  expect(sealing.map(({ path }) => path).toSorted()).toEqual(SEALING);
});
