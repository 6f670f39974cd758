import type { Identity } from './contract.ts';

/** `["type","value"]`: how a profile lists an identity. */
export function identityText({ type, value }: Identity): string {
  return `["${type}",${JSON.stringify(value)}]`;
}

/** Several of them between commas, the last one first; empty for none. */
export function identitiesText(added: readonly Identity[] | undefined): string {
  if (added === undefined) return '';
  let text = '';
  for (const identity of added) text = identityText(identity) + (text === '' ? '' : `,${text}`);
  return text;
}
