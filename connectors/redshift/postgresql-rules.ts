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

/** Rules in order; they come before those of sockets and of single states. */
const RULES: readonly Rule[] = [
  ...REFUSED_CLIENT.map((state): Rule => ({ state, code: 'WAREHOUSE_CREDENTIALS', advice: CLIENT_ADVICE })),
  {
    state: '28000',
    holds: 'valid client certificate',
    code: 'WAREHOUSE_CREDENTIALS',
    advice: CLIENT_ADVICE,
  },
  { state: '28000', holds: 'certificate authentication failed', code: 'WAREHOUSE_CREDENTIALS', advice: CLIENT_ADVICE },
];

export function postgresRuleOf(state: string, text: string): Rule | undefined {
  return RULES.find((rule) => state.startsWith(rule.state ?? '') && text.includes(rule.holds ?? ''));
}
