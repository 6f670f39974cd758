import { integer, pgTable, text, timestamp, unique } from 'drizzle-orm/pg-core';

const time = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

// no workspace_id: the processor, whom the certificate names, is the whole installation
export const dsrCertificates = pgTable(
  'dsr_certificates',
  {
    /** SHA-256 of the certificate, lower hex. */
    fingerprint: text('fingerprint').primaryKey(),
    domain: text('domain').notNull(),
    /** Counts those we made for the domain, so that daemons that start or rotate together make one. Null: it was given. */
    generation: integer('generation'),
    /** PEM, with its chain. */
    certificate: text('certificate').notNull(),
    /** Encrypted PKCS#8; null: it was given, and its key stays with the configuration. */
    privateKey: text('private_key'),
    createdOn: time('created_on').notNull(),
    /** Until then it is served. */
    expiresOn: time('expires_on').notNull(),
  },
  (table) => [unique('dsr_certificates_by_generation').on(table.domain, table.generation)],
);
