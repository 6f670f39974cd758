import pg from 'pg';

/** Host and port that an address of the store leads to, as the driver reads it; a socket's folder is a host. */
export function storeAddress(databaseUrl: string): { readonly host: string; readonly port: number } {
  const { host, port } = new pg.Client({ connectionString: databaseUrl });
  return { host, port };
}
