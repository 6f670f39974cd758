import { type IdentityType, type Issue, type JsonSchema, refuse } from '../../kernel/index.ts';
import { type IDENTITY_STRATEGIES, type SettingsBody, SettingsDocument } from '../contract/settings.ts';

type Strategy = (typeof IDENTITY_STRATEGIES)[number];

/** The complete settings of a workspace as other rooms read them. Units are in the names. */
export interface WorkspaceSettings {
  readonly identity: {
    readonly strategy: Strategy;
    /** Identity types, the deciding one first; an unlisted type finds no profile. */
    readonly priority: readonly IdentityType[];
  };
  readonly limits: {
    readonly batchBytes: number;
    readonly requestBytes: number;
    readonly attributesPerEvent: number;
    readonly userAttributesPerBatch: number;
    readonly nameCharacters: number;
    readonly valueCharacters: number;
    readonly profileIdentities: number;
    readonly profileAttributes: number;
    readonly profileAttributeBytes: number;
    readonly batchesPerSecond: number;
    readonly subjectRequestsPerMinute: number;
    readonly subjectRequestsPerDay: number;
  };
  readonly retention: {
    readonly batchesMonths: number;
    readonly runsMonths: number;
    readonly failedRecordsDays: number;
    readonly auditLogMonths: number;
  };
  readonly publicKeys: { readonly attributes: 'any' | 'none' | readonly string[] };
  readonly newLoginLifts: boolean;
  readonly allowedOrigins: readonly string[];
}

/** Each value's default, as its schema says it. */
export const DEFAULT_SETTINGS = defaultsOf(SettingsDocument) as SettingsDocument;

function defaultsOf({ default: value, properties }: JsonSchema): unknown {
  if (properties === undefined) return value;
  return Object.fromEntries(Object.entries(properties).map(([name, schema]) => [name, defaultsOf(schema)]));
}

/** Completes the given settings with the defaults. */
export function completeSettings(set: SettingsBody): SettingsDocument {
  const standard = DEFAULT_SETTINGS;
  return {
    identity: { ...standard.identity, ...set.identity },
    limits: { ...standard.limits, ...set.limits },
    retention: { ...standard.retention, ...set.retention },
    public_keys: { ...standard.public_keys, ...set.public_keys },
    new_login_lifts: set.new_login_lifts ?? standard.new_login_lifts,
    allowed_origins: set.allowed_origins ?? standard.allowed_origins,
  };
}

/** Throws VALIDATION_FAILED that lists every value which fits the schema and is still invalid. */
export function checkSettings({ identity, limits, allowed_origins: origins }: SettingsDocument): void {
  const issues: Issue[] = [];
  // customer_id has one owner only: without a lookup by it, every delivery would try to create that owner again
  if (!identity.priority.includes('customer_id')) {
    issues.push({ path: 'identity.priority', message: 'must contain the login identity customer_id.' });
  }
  if (limits.request_bytes < limits.batch_bytes) {
    const message = `must be at least limits.batch_bytes, which is ${limits.batch_bytes}.`;
    issues.push({ path: 'limits.request_bytes', message });
  }
  issues.push(...originIssues(origins));
  if (issues.length > 0) throw refuse(issues);
}

/** Returns an issue for each origin in a form that browsers do not send: it would be stored and never match. */
function originIssues(origins: readonly string[]): readonly Issue[] {
  return origins.flatMap((given, index) => {
    const sent = URL.parse(given)?.origin;
    if (sent === given) return [];
    const advice = sent === undefined ? 'is not an origin' : `must be written as browsers send it: "${sent}"`;
    return [{ path: `allowed_origins[${index}]`, message: `"${given}" ${advice}.` }];
  });
}

/** Translates the names of the API to ours. */
export function settingsFromWire({ identity, limits, retention, ...rest }: SettingsDocument): WorkspaceSettings {
  return {
    identity,
    limits: {
      batchBytes: limits.batch_bytes,
      requestBytes: limits.request_bytes,
      attributesPerEvent: limits.attributes_per_event,
      userAttributesPerBatch: limits.user_attributes_per_batch,
      nameCharacters: limits.name_characters,
      valueCharacters: limits.value_characters,
      profileIdentities: limits.profile_identities,
      profileAttributes: limits.profile_attributes,
      profileAttributeBytes: limits.profile_attribute_bytes,
      batchesPerSecond: limits.batches_per_second,
      subjectRequestsPerMinute: limits.subject_requests_per_minute,
      subjectRequestsPerDay: limits.subject_requests_per_day,
    },
    retention: {
      batchesMonths: retention.batches_months,
      runsMonths: retention.runs_months,
      failedRecordsDays: retention.failed_records_days,
      auditLogMonths: retention.audit_log_months,
    },
    publicKeys: rest.public_keys,
    newLoginLifts: rest.new_login_lifts,
    allowedOrigins: rest.allowed_origins,
  };
}
