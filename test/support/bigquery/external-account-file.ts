/** Writes a configuration of workload identity federation as the console of Google does; the token comes from `url`. */
export function externalAccount(url: string, changed: object = {}): string {
  return JSON.stringify({
    universe_domain: 'googleapis.com',
    type: 'external_account',
    audience: AUDIENCE,
    subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
    token_url: 'https://sts.googleapis.com/v1/token',
    credential_source: { url, headers: { authorization: 'Bearer of-the-pool' }, format: JSON_FORMAT },
    ...changed,
  });
}

export const AUDIENCE =
  '//iam.googleapis.com/projects/123456789/locations/global/workloadIdentityPools/penstock/providers/customer';
const JSON_FORMAT = { type: 'json', subject_token_field_name: 'id_token' };
