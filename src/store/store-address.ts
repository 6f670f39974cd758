import pg from 'pg';

/** Returns host and port of a store's address, as the driver reads them; a socket's folder is a host. */
export function storeAddress(databaseUrl: string): { readonly host: string; readonly port: number } {
  const { host, port } = new pg.Client({ connectionString: databaseUrl });
  return { host, port };
}
