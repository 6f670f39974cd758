import { Type } from 'typebox';
import { Int64, PageQuery } from '../../http/index.ts';

const AuditEntry = Type.Object(
  {
    id: Int64(),
    occurred_on: Type.String({ format: 'date-time' }),
    actor: Type.String({ description: 'Client id of a platform credential, or `cli:<user>`.' }),
    action: Type.String({ description: 'Action, such as `connection.updated`.' }),
    resource: Type.String({ description: 'Resource that the action concerned, such as `connection/warehouse-1`.' }),
    detail: Type.Record(Type.String(), Type.Unknown(), { description: 'Details of the change, without secrets.' }),
  },
  { additionalProperties: false },
);

export const AuditLogPage = Type.Object({ items: Type.Array(AuditEntry) }, { additionalProperties: false });

const only = (description: string) => Type.Optional(Type.String({ description }));

export const AuditLogQuery = Type.Object({
  ...PageQuery.properties,
  actor: only('Only entries of this client id or key.'),
  action: only('Only entries with this action, such as `profile.read`.'),
  resource: only('Only entries about this resource, such as `profile/4611686018427387904`.'),
});
