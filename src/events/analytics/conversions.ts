// Conversions of values of a call. Each returns undefined for a value that it cannot read; the value then stays where it is.
import { isRawNumber, type Json } from '../../kernel/index.ts';
import { isUuid } from '../contract/leaves.ts';
import { findPlatform, OPERATING_SYSTEMS } from './platforms.ts';

/** Conversion of one value; `eventMs` is the time at which the call was made. */
export type Conversion = (value: Json, eventMs: number) => Json | undefined;

export interface DescribedConversion {
  readonly convert: Conversion;
  /** Description for the guide. */
  readonly meaning: string;
}

export type ConversionName =
  | 'uuid'
  | 'noUuid'
  | 'channel'
  | 'platform'
  | 'operatingSystem'
  | 'opposite'
  | 'trackingStatus'
  | 'language'
  | 'country'
  | 'nameAndVersion'
  | 'purposes';

const LOCALE = /^([a-z]{2,3})(?:[-_][a-z]{4})?(?:[-_]([a-z]{2}|\d{3}))?(?![a-z\d])/i;
const CHANNELS = new Map([
  ['server', 'server_to_server'],
  ['web', 'javascript'],
  ['mobile', 'native'],
]);
const TRACKING = ['not_determined', 'restricted', 'denied', 'authorized'];

const isText = (value: unknown): value is string => typeof value === 'string';

export const CONVERSIONS: Readonly<Record<ConversionName, DescribedConversion>> = {
  uuid: { meaning: 'if it is a UUID', convert: (value) => (isText(value) && isUuid(value) ? value : undefined) },
  noUuid: { meaning: 'if it is not a UUID', convert: (value) => (isText(value) && isUuid(value) ? undefined : value) },
  channel: {
    meaning: '`server` → `server_to_server`, `web` → `javascript`, `mobile` → `native`; else `server_to_server`',
    convert: (value) => (isText(value) ? CHANNELS.get(value) : undefined),
  },
  platform: { meaning: 'iOS, tvOS, Android, Fire OS, Roku or web', convert: (value) => findPlatform(value) },
  operatingSystem: {
    meaning: '`IOS`, `TVOS`, `Android`, `FireTV` or `Roku`',
    convert: (value) => OPERATING_SYSTEMS[findPlatform(value) ?? 'web'],
  },
  opposite: {
    meaning: 'true becomes false, false becomes true',
    convert: (value) => (typeof value === 'boolean' ? !value : undefined),
  },
  trackingStatus: {
    meaning: '0 to 3, or the word',
    convert: (value) => (typeof value === 'number' ? TRACKING[value] : value),
  },
  language: { meaning: '`en` of `en-US`', convert: (value) => localeOf(value)?.[1] },
  country: { meaning: '`US` of `en-US`', convert: (value) => localeOf(value)?.[2] },
  nameAndVersion: { meaning: 'name and version with a space between', convert: nameAndVersion },
  purposes: {
    meaning: 'each category or consent id is a purpose, given or refused when the call was made',
    convert: purposesOf,
  },
};

const localeOf = (value: Json): RegExpExecArray | null => (isText(value) ? LOCALE.exec(value) : null);

type Fields = Readonly<Record<string, Json>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);
}

export function isList(value: unknown): value is readonly Json[] {
  return Array.isArray(value);
}

function nameAndVersion(value: Json): string | undefined {
  if (!isFields(value)) return undefined;
  const words = [value.name, value.version].filter(isText);
  return words.length === 0 ? undefined : words.join(' ');
}

/** Converts consent as Segment, `{"Advertising": true}`, or RudderStack, `{"allowedConsentIds": ["C0001"]}`, writes it. */
function purposesOf(value: Json, eventMs: number): Json | undefined {
  if (!isFields(value)) return undefined;
  const { allowedConsentIds, deniedConsentIds } = value;
  const decided = [
    ...Object.entries(value).flatMap(([name, given]) => (typeof given === 'boolean' ? [[name, given] as const] : [])),
    ...idsOf(allowedConsentIds).map((id) => [id, true] as const),
    ...idsOf(deniedConsentIds).map((id) => [id, false] as const),
  ];
  if (decided.length === 0) return undefined;
  return Object.fromEntries(decided.map(([name, consented]) => [name, { consented, timestamp_unixtime_ms: eventMs }]));
}

const idsOf = (list: Json | undefined): readonly string[] => (isList(list) ? list.filter(isText) : []);
