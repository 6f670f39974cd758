import type { Issue } from '../kernel/index.ts';
import type { Reader } from './reader.ts';
import type { SettingName } from './settings.ts';

/** Paths of PEM files. */
export interface FilePair {
  readonly certificate: string;
  readonly key: string;
}

/** Reads the paths of a certificate and its key: both or none. */
export function readFilePair(
  { text }: Reader,
  issues: Issue[],
  [certificateName, keyName]: readonly [SettingName, SettingName],
): FilePair | undefined {
  const [certificate, key] = [text(certificateName), text(keyName)];
  if (certificate !== '' && key !== '') return { certificate, key };
  if (certificate !== '') issues.push({ path: keyName, message: `is required together with ${certificateName}.` });
  if (key !== '') issues.push({ path: certificateName, message: `is required together with ${keyName}.` });
  return undefined;
}
