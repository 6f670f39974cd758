// Platforms by the names that SDKs write for operating systems, devices, channels and libraries.

export type Platform = 'iOS' | 'tvOS' | 'Android' | 'fire_tv' | 'roku' | 'web';

/** Platforms by name in lower case. */
const PLATFORMS: ReadonlyMap<string, Platform> = new Map<string, Platform>([
  ['ios', 'iOS'],
  ['ipados', 'iOS'],
  ['iphone os', 'iOS'],
  ['tvos', 'tvOS'],
  ['android', 'Android'],
  ['fire os', 'fire_tv'],
  ['fireos', 'fire_tv'],
  ['roku', 'roku'],
  ['web', 'web'],
  ['analytics.js', 'web'],
  ['rudderlabs javascript sdk', 'web'],
]);

/** Values of `application_info.os` by platform. A page in a browser does not tell its operating system. */
export const OPERATING_SYSTEMS: Readonly<Record<Platform, string | undefined>> = {
  iOS: 'IOS',
  tvOS: 'TVOS',
  Android: 'Android',
  fire_tv: 'FireTV',
  roku: 'Roku',
  web: undefined,
};

export function findPlatform(name: unknown): Platform | undefined {
  return typeof name === 'string' ? PLATFORMS.get(name.trim().toLowerCase()) : undefined;
}
