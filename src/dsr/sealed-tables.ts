import { workspaceId as workspaceOf } from '../kernel/index.ts';
import type { SealedTable } from '../store/index.ts';
import { certificateContext } from './certificates/stored-certificates.ts';
import { parseAuth, partnerContext, secretOf } from './forwarding/partner.ts';
import { forwardContext } from './forwarding/queue-forwards.ts';
import { requestContext } from './request.ts';

interface CertificateSecrets {
  readonly fingerprint: string;
  readonly private_key: string;
}

const ofCertificates: SealedTable<CertificateSecrets> = {
  table: 'dsr_certificates',
  key: ['fingerprint'],
  columns: ['private_key'],
  sealedTexts: ({ fingerprint, private_key: text }) => [{ text, context: certificateContext(fingerprint) }],
};

interface RequestSecrets {
  readonly workspace_id: bigint;
  readonly id: string;
  readonly subject: string | null;
  readonly encoded_request: string | null;
}

const ofRequests: SealedTable<RequestSecrets> = {
  table: 'dsr_requests',
  key: ['workspace_id', 'id'],
  columns: ['subject', 'encoded_request'],
  sealedTexts({ workspace_id: workspaceId, id, ...row }) {
    const fields = ['subject', 'encoded_request'] as const;
    return fields.flatMap((field) => {
      const text = row[field];
      return text === null ? [] : [{ text, context: requestContext({ workspaceId, id }, field) }];
    });
  },
};

interface ForwardSecrets {
  readonly workspace_id: bigint;
  readonly request_id: string;
  readonly partner_id: string;
  readonly body: string;
}

const ofForwards: SealedTable<ForwardSecrets> = {
  table: 'dsr_forwards',
  key: ['workspace_id', 'request_id', 'partner_id'],
  columns: ['body'],
  sealedTexts: ({ workspace_id: workspaceId, request_id: requestId, partner_id: partnerId, body: text }) => [
    { text, context: forwardContext({ workspaceId, requestId, partnerId }) },
  ],
};

interface PartnerSecrets {
  readonly workspace_id: bigint;
  readonly id: string;
  readonly auth: string;
}

const ofPartners: SealedTable<PartnerSecrets> = {
  table: 'dsr_partners',
  key: ['workspace_id', 'id'],
  columns: ['auth'],
  sealedTexts({ workspace_id: workspace, id, auth }) {
    const text = secretOf(parseAuth(auth));
    return text === undefined ? [] : [{ text, context: partnerContext({ workspaceId: workspaceOf(workspace), id }) }];
  },
};

/** Tables in which this room keeps encrypted columns. */
export const dsrSealedTables: readonly SealedTable[] = [ofCertificates, ofRequests, ofForwards, ofPartners];
