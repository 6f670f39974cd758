// Errors of PostgreSQL's sign-in, of managed services and of poolers, where text tells more than the state.
import type { Rule } from './errors.ts';

const CLIENT_ADVICE = 'Set {config.sslcert} and {config.sslkey} to a certificate that the server accepts.';

/** TLS alerts by which a server refuses the certificate of a client, by the beginning of Node's code. */
const REFUSED_CLIENT: readonly string[] = [
  'ERR_SSL_TLSV1_ALERT_UNKNOWN_CA',
  'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED',
  'ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE',
  'ERR_SSL_SSLV3_ALERT_CERTIFICATE_',
];

const TLS_ADVICE =
  'The server accepts encrypted connections only: leave {config.sslmode} out, or set it to verify-full.';
const ADDRESS_ADVICE =
  'The server does not accept {config.user} from this address. Allow the address in pg_hba.conf, or in the firewall of the service.';
const TENANT_ADVICE =
  'The pooler finds the project by the user: set {config.user} to a name such as postgres.abcdefgh, and copy {config.host} from the project.';
const LATER_ADVICE = 'It is tried again later.';

/** Rules in order; they come before those of sockets and of single states. Sources: the recorded errors of `test/conformance`. */
const RULES: readonly Rule[] = [
  ...REFUSED_CLIENT.map((state): Rule => ({ state, code: 'WAREHOUSE_CREDENTIALS', advice: CLIENT_ADVICE })),
  { state: '28000', holds: 'valid client certificate', code: 'WAREHOUSE_CREDENTIALS', advice: CLIENT_ADVICE },
  { state: '28000', holds: 'certificate authentication failed', code: 'WAREHOUSE_CREDENTIALS', advice: CLIENT_ADVICE },
  { state: '28000', holds: ', no encryption', code: 'WAREHOUSE_CONFIG', advice: TLS_ADVICE },
  { state: '28000', holds: ', SSL off', code: 'WAREHOUSE_CONFIG', advice: TLS_ADVICE },
  { state: '28000', holds: 'SSL connection is required', code: 'WAREHOUSE_CONFIG', advice: TLS_ADVICE },
  { state: '28000', holds: 'pg_hba.conf', code: 'WAREHOUSE_CREDENTIALS', advice: ADDRESS_ADVICE },
  {
    state: '28',
    holds: 'PAM authentication failed',
    code: 'WAREHOUSE_CREDENTIALS',
    advice: 'A user with the role rds_iam has no password, only tokens of 15 minutes. Use a user without that role.',
  },
  { state: 'XX000', holds: 'Tenant or user not found', code: 'WAREHOUSE_CREDENTIALS', advice: TENANT_ADVICE },
  { state: 'XX000', holds: 'no tenant identifier', code: 'WAREHOUSE_CREDENTIALS', advice: TENANT_ADVICE },
  { state: 'XX000', holds: 'tenant/user', code: 'WAREHOUSE_CREDENTIALS', advice: TENANT_ADVICE },
  { state: 'XX000', holds: 'Max client connections reached', code: 'WAREHOUSE_THROTTLED', advice: LATER_ADVICE },
  { state: 'XX000', holds: 'max clients reached', code: 'WAREHOUSE_THROTTLED', advice: LATER_ADVICE },
  { state: '08P01', holds: 'no more connections allowed', code: 'WAREHOUSE_THROTTLED', advice: LATER_ADVICE },
  {
    state: '08P01',
    holds: 'query_wait_timeout',
    code: 'WAREHOUSE_THROTTLED',
    advice: 'The pooler had no free connection to the server. Raise its pool_size, or run fewer pipelines at once.',
  },
  {
    state: '08P01',
    holds: 'unsupported startup parameter',
    code: 'WAREHOUSE_CONFIG',
    advice: 'Add the parameter to ignore_startup_parameters of the pooler, or connect to the server itself.',
  },
  {
    state: '40001',
    holds: 'conflict with recovery',
    code: 'WAREHOUSE_SESSION_LOST',
    advice:
      'A standby cancels statements that need rows which its primary has removed. Turn hot_standby_feedback on, raise ' +
      'max_standby_streaming_delay, or read from the primary.',
  },
];

export function postgresRuleOf(state: string, text: string): Rule | undefined {
  return RULES.find((rule) => state.startsWith(rule.state ?? '') && text.includes(rule.holds ?? ''));
}
