import { Type } from 'typebox';
import { PROVIDER_FACTS, PROVIDERS } from '../../../connectors/facts.ts';
import { auditProperties, closed, Name, Notices, ResourceState, Slug } from './shared.ts';

const config = Type.Record(Type.String(), Type.Unknown(), {
  description: `Fields of the provider. ${Object.entries(PROVIDER_FACTS)
    .map(
      ([
        provider,
        {
          config: { required, optional },
        },
      ]) => {
        const more = optional.length === 0 ? '' : `; optional ${optional.join(', ')}`;
        return `${provider}: ${required.join(', ')}${more}.`;
      },
    )
    .join(' ')} Answers show secrets as asterisks.`,
});

/** Body of POST and PUT of a connection. The fields of `config` are checked by provider. */
export const ConnectionBody = closed(
  {
    id: Slug,
    name: Name,
    state: ResourceState,
    service_provider: Type.String({
      description: `${PROVIDERS.join(', ')}, or the name of the product, ignoring case.`,
    }),
    config,
  },
  'ConnectionBody',
  {
    id: 'shop',
    name: 'The shop’s warehouse',
    state: 'active',
    service_provider: 'DuckDB',
    config: { database: 'shop.duckdb', read_only: true },
  },
);

export const ConnectionAnswer = closed(
  {
    id: Slug,
    name: Name,
    state: ResourceState,
    status: Type.Enum(['healthy', 'faulted']),
    errors: Notices,
    service_provider: Type.Enum([...PROVIDERS]),
    config,
    ...auditProperties,
  },
  'Connection',
);

/** Result of a connection test (D-110). */
export const ConnectionTestAnswer = closed(
  {
    status: Type.Enum(['healthy', 'faulted']),
    stages: Type.Array(
      closed({
        name: Type.String(),
        status: Type.Enum(['passed', 'failed', 'skipped']),
        message: Type.String(),
      }),
    ),
  },
  'ConnectionTest',
);
