// A Snowflake session over the REST protocol, for tests that act as the customer without our connector and its SDK.
import { randomUUID } from 'node:crypto';

export interface SnowflakeClient {
  /** Texts as the server writes them. */
  run(sql: string, values?: readonly string[]): Promise<readonly (readonly (string | null)[])[]>;
}

export interface SnowflakePlace {
  readonly accessUrl: string;
  readonly database: string;
  readonly schema?: string;
}

export async function openSnowflakeClient({ accessUrl, database, schema }: SnowflakePlace): Promise<SnowflakeClient> {
  const names = new URLSearchParams({
    databaseName: database,
    ...(schema === undefined ? {} : { schemaName: schema }),
  });
  const signIn = { data: { LOGIN_NAME: 'customer', PASSWORD: 'p', ACCOUNT_NAME: 'local', SESSION_PARAMETERS: {} } };
  const { token } = (await post(`${accessUrl}/session/v1/login-request?${names}`, signIn)) as { token: string };
  return {
    async run(sql, values = []) {
      const url = `${accessUrl}/queries/v1/query-request?requestId=${randomUUID()}`;
      const bound = values.map((value, index) => [index + 1, { type: 'TEXT', value }]);
      const body = { sqlText: sql, ...(bound.length === 0 ? {} : { bindings: Object.fromEntries(bound) }) };
      const answer = (await post(url, body, token)) as { rowset?: readonly (readonly (string | null)[])[] };
      return answer.rowset ?? [];
    },
  };
}

async function post(url: string, body: object, token?: string): Promise<unknown> {
  const headers = {
    'content-type': 'application/json',
    ...(token === undefined ? {} : { authorization: `Snowflake Token="${token}"` }),
  };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  const { success, message, data } = (await answer.json()) as { success: boolean; message?: string; data: unknown };
  if (!success) throw new Error(`${message ?? `HTTP ${answer.status}`}: ${JSON.stringify(body).slice(0, 500)}`);
  return data;
}
