import type { Static } from 'typebox';
import { formatTime } from '../../kernel/index.ts';
import type { Fleet } from '../../warehouse/index.ts';
import type { Connection } from '../connections/connection.ts';
import { maskConfig } from '../connections/connection-config.ts';
import { secretFieldsOf } from '../connections/provider.ts';
import type { ConnectionAnswer } from '../contract/connection.ts';
import type { Audit } from '../pipelines/pipeline.ts';
import { noticesAnswer } from './notices-answer.ts';

/** Returns a connection as the API answers it, with masked secrets. */
export function connectionAnswer(fleet: Fleet, connection: Connection): Static<typeof ConnectionAnswer> {
  const { id, name, state, provider, config, fault } = connection;
  return {
    id,
    name,
    state,
    status: fault === null ? 'healthy' : 'faulted',
    errors: noticesAnswer(fault),
    service_provider: provider,
    config: maskConfig({ config, secretFields: secretFieldsOf(fleet, provider) }),
    ...auditAnswer(connection),
  };
}

export function auditAnswer({ createdOn, createdBy, lastModifiedOn, lastModifiedBy }: Audit) {
  return {
    created_on: createdOn.toISOString(),
    created_by: createdBy,
    last_modified_on: formatTime(lastModifiedOn),
    last_modified_by: lastModifiedBy,
  };
}
