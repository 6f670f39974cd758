// Checks of the texts of variables.
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';

const HOST_PATTERN = /^(?:\*\.)?[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?)*$/i;

/** Pattern of a key of 32 bytes: 43 digits and one `=`. */
export const KEY_IN_BASE64 = /^[\w+/-]{43}=?$/;

/** Tells whether a text is an address as the driver reads it, which allows one without a host for a socket. */
export function isDatabaseUrl(text: string): boolean {
  return /^postgres(ql)?:\/\/./.test(text) && URL.canParse(text.replace('@/', '@socket/'));
}

export function isNetwork(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const most = isIP(address) === 6 ? 128 : 32;
  return (
    isIP(address) !== 0 && rest.length === 0 && (bits === undefined || (/^\d+$/.test(bits) && Number(bits) <= most))
  );
}

export function isHostName(text: string): boolean {
  return HOST_PATTERN.test(text) && !text.startsWith('*');
}

export function isHostOrNetwork(text: string): boolean {
  return isNetwork(text) || HOST_PATTERN.test(text);
}

/** Parses `host:port`; an IPv6 address stands in brackets. */
export function hostAndPortOf(text: string): { readonly host: string; readonly port: number } | undefined {
  const [, host = '', digits] = /^(\[[\da-f:.]+\]|[a-z\d_.-]+):(\d{1,5})$/i.exec(text) ?? [];
  const [name, port] = [host.replace(/^\[|\]$/g, ''), Number(digits)];
  const isHost = isIP(name) !== 0 || (!host.startsWith('[') && HOST_PATTERN.test(name));
  return isHost && port >= 1 && port <= 65_535 ? { host: name, port } : undefined;
}

/** Returns an HTTP address without the slashes at its end. */
export function httpAddressOf(text: string): string | undefined {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? '') ? text.replace(/(?<!\/)\/+$/, '') : undefined;
}

/** Returns the origin of an address that is `http://host:port` and nothing more. */
export function originOf(text: string): string | undefined {
  const url = URL.parse(text);
  return url !== null && httpAddressOf(text) !== undefined && `${url.origin}/` === url.href ? url.origin : undefined;
}

/** Returns the text of a file that holds a certificate. */
export function certificatesOf(file: string): string | undefined {
  try {
    const text = readFileSync(file, 'utf8');
    return text.includes('-----BEGIN CERTIFICATE-----') ? text : undefined;
  } catch {
    return undefined;
  }
}
