// The configuration of workload identity federation, as Google's console writes it. It names addresses and sources that a
// library would follow blindly, so only what is checked here reaches the library.
// Source: https://cloud.google.com/docs/authentication/client-libraries#external-credentials
import { type ParsedObject, parseObject } from './parse-object.ts';

/** A configuration whose token comes from an HTTPS address. */
export interface ExternalAccount {
  readonly audience: string;
  readonly subjectTokenType: string;
  /** Address of Google's token exchange. */
  readonly tokenUrl: string;
  readonly source: TokenSource;
  /** The service account to act as, where the configuration names one. */
  readonly impersonated?: string;
}

/** An HTTPS address that returns the token of the other cloud. */
export interface TokenSource {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** Field of a JSON answer that holds the token. Absent: the whole answer is the token. */
  readonly field?: string;
}

const AUDIENCE = /^\/\/iam\.googleapis\.com\/[\w./-]{1,500}$/;
const TOKEN_TYPE = /^urn:[\w:.-]{1,200}$/;
/** Global and regional addresses of the token exchange. */
const TOKEN_URL =
  /^https:\/\/(?:sts\.googleapis\.com|sts\.[a-z0-9-]{1,40}(?:\.rep)?\.googleapis\.com)\/v1(?:beta)?\/(?:token|oauthtoken)$/;
const IMPERSONATION_URL =
  /^https:\/\/iamcredentials\.googleapis\.com\/v1\/projects\/-\/serviceAccounts\/([^/:@\s]{1,100}@[a-z0-9.-]{1,200}):generateAccessToken$/;
const SOURCES_OF_MACHINE = ['file', 'executable', 'certificate', 'environment_id'] as const;

/** Returns the fault of a configuration as a sentence without its subject, or undefined for a valid one. */
export function externalAccountComplaint(text: string): string | undefined {
  const read = readExternalAccount(text);
  return typeof read === 'string' ? read : undefined;
}

/** Returns the checked configuration, or its fault. Never repeats a part of it: headers may be secret. */
export function readExternalAccount(text: string): ExternalAccount | string {
  const file = parseObject(text);
  if (file === undefined) return 'is not a JSON object';
  if (file.type !== 'external_account') return 'must be a configuration of type external_account';
  const fault = faultOf(file);
  if (fault !== undefined) return fault;
  const source = readSource(file.credential_source);
  if (typeof source === 'string') return source;
  const impersonated = impersonatedBy(file.service_account_impersonation_url);
  return {
    audience: String(file.audience),
    subjectTokenType: String(file.subject_token_type),
    tokenUrl: String(file.token_url),
    source,
    ...(typeof impersonated === 'string' ? { impersonated } : {}),
  };
}

/** Returns the fault of the fields besides the source of the token. */
function faultOf(file: ParsedObject): string | undefined {
  if (!fits(file.audience, AUDIENCE)) return 'must have an audience that begins with //iam.googleapis.com/';
  if (!fits(file.subject_token_type, TOKEN_TYPE)) return 'lacks subject_token_type';
  if (!fits(file.token_url, TOKEN_URL)) return 'has a token_url that is not an address of sts.googleapis.com';
  if (file.universe_domain !== undefined && file.universe_domain !== 'googleapis.com')
    return 'must have the universe_domain googleapis.com';
  if (impersonatedBy(file.service_account_impersonation_url) === null)
    return 'has a service_account_impersonation_url that is not one of iamcredentials.googleapis.com';
  return undefined;
}

function fits(value: unknown, pattern: RegExp): boolean {
  return typeof value === 'string' && pattern.test(value);
}

/** Returns the account that the address names; null for another address. */
function impersonatedBy(url: unknown): string | null | undefined {
  if (url === undefined) return undefined;
  return IMPERSONATION_URL.exec(String(url))?.[1] ?? null;
}

function readSource(given: unknown): TokenSource | string {
  const source = typeof given === 'object' && given !== null ? new Map(Object.entries(given)) : new Map();
  if (SOURCES_OF_MACHINE.some((name) => source.has(name)))
    return (
      'has a credential_source on the machine of Penstock (file, executable, certificate or AWS). Use a url, or ask ' +
      'the operator to sign in with application_default_credentials'
    );
  const url = URL.parse(String(source.get('url') ?? ''));
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '')
    return 'must have a credential_source with an https url and without a user';
  const headers = headersOf(source.get('headers'));
  if (headers === undefined) return 'has headers in its credential_source that are not texts';
  const field = fieldOfFormat(source.get('format'));
  if (field === undefined) return 'has a format in its credential_source that is neither text nor json';
  return { url, headers, ...(field === '' ? {} : { field }) };
}

function headersOf(given: unknown): Readonly<Record<string, string>> | undefined {
  if (given === undefined) return {};
  if (typeof given !== 'object' || given === null) return undefined;
  const entries = Object.entries(given);
  const isText = ([name, value]: readonly [string, unknown]) =>
    /^[\w-]{1,100}$/.test(name) && typeof value === 'string' && /^[\x20-\x7e]{0,4000}$/.test(value);
  return entries.every(isText) ? Object.fromEntries(entries) : undefined;
}

/** Returns the field of a JSON answer, an empty text where the answer is the token itself, undefined for another format. */
function fieldOfFormat(given: unknown): string | undefined {
  if (given === undefined) return '';
  const { type, subject_token_field_name: name }: ParsedObject =
    typeof given === 'object' && given !== null ? { ...given } : {};
  if (type === undefined || type === 'text') return '';
  return type === 'json' && typeof name === 'string' && name !== '' ? name : undefined;
}
