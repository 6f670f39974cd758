export { type BackoffPolicy, backoffDelayMs, type Random, systemRandom } from './backoff.ts';
export { checkedLookup } from './checked-lookup.ts';
export { type Clock, isWithin, sleepUnheld, systemClock } from './clock.ts';
export { countCharacters } from './count-characters.ts';
export { eachApart, failureOf } from './each-apart.ts';
export { createKeyRing, type EncryptionKey, type KeyRing } from './encryption.ts';
export {
  AppError,
  asAppError,
  type Disposition,
  ERROR_CODES,
  type ErrorCode,
  errorCode,
  type Issue,
  messageOf,
  refuse,
} from './errors.ts';
export { parseEveryValue } from './every-value.ts';
export { fieldPath } from './field-path.ts';
export { createHostList, createNetworkCheck, type HostList } from './host-list.ts';
export { answerTo, readUpTo } from './http-answer.ts';
export { DEFAULT_PRIORITY, DEVICE_ID_TYPES, IDENTITY_TYPES, type IdentityType } from './identity-types.ts';
export { createIdSource, type WorkspaceId, workspaceId } from './ids.ts';
export {
  FIRST_INSTANT,
  formatMicros,
  formatTime,
  instantFromStore,
  isInstant,
  LAST_INSTANT,
  type Micros,
  microsOfMs,
  msOfMicros,
  nearestInstant,
  parseInstant,
} from './instant.ts';
export { fitsInt64, INT64_MOST, isInt64 } from './int64.ts';
export { itemAt } from './item-at.ts';
export { isRawNumber, type Json, parseJson, type RawNumber, rawNumber, stringifyJson } from './json.ts';
export { createLog, framesOf, type Log } from './log.ts';
export { openTunnel, ProxyFailure } from './proxy/open-tunnel.ts';
export {
  addressIn,
  createProxyRules,
  isLocalName,
  type ProxiedPlace,
  type Proxies,
  type ProxyOf,
} from './proxy/proxy-rules.ts';
export { basicAuthorization, type ProxyServer, parseProxy } from './proxy/proxy-server.ts';

export { compileCheck, compileSchema, type SchemaCheck } from './schema/compile-schema.ts';
export { allowedValues, type Discriminator, type JsonSchema } from './schema/json-schema.ts';
export { type Check, complain, startScan } from './schema/scan.ts';
export type { Compile } from './schema/schema-rules.ts';
export { isObject, wrongType } from './schema/type-names.ts';
export { equalsInConstantTime, SECRET_MASK, Secret, sha256 } from './secret.ts';
export { kindOf, quoteValue, wantedOneOf } from './show-value.ts';
export { tooLong } from './too-long.ts';
export { unstorableText } from './unstorable-text.ts';
export { field, joined, messageWith, say, template, type Worded, wordsOf } from './wording.ts';
