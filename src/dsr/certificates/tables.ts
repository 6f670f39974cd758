import { integer, pgTable, text, timestamp, unique } from 'drizzle-orm/pg-core';

const time = (name: string) => timestamp(name, { withTimezone: true, precision: 3 });

// no workspace_id: the processor, whom the certificate names, is the whole installation
export const dsrCertificates = pgTable(
  'dsr_certificates',
  {
    /** SHA-256 of the certificate, lower hex. */
    fingerprint: text('fingerprint').primaryKey(),
    domain: text('domain').notNull(),
    /**
     * Number of a certificate that Penstock made for the domain. It keeps daemons that start or rotate together from making
     * two. Null for a configured certificate.
     */
    generation: integer('generation'),
    /** PEM, with its chain. */
    certificate: text('certificate').notNull(),
    /** Encrypted PKCS#8. Null for a configured certificate, whose key stays in its file. */
    privateKey: text('private_key'),
    createdOn: time('created_on').notNull(),
    /** End of the certificate; it is served until then. */
    expiresOn: time('expires_on').notNull(),
  },
  (table) => [unique('dsr_certificates_by_generation').on(table.domain, table.generation)],
);
