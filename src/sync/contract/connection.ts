import { Type } from 'typebox';
import { PROVIDERS } from '../../warehouse/index.ts';
import { auditProperties, closed, Name, Notices, ResourceState, Slug } from './shared.ts';

const config = Type.Record(Type.String(), Type.Unknown(), { description: 'Fields of the provider (002).' });

/** 002, Warehouse connection: body of POST and PUT. The fields of `config` are checked by provider. */
export const ConnectionBody = closed({
  id: Slug,
  name: Name,
  state: ResourceState,
  service_provider: Type.String({ description: `${PROVIDERS.join(', ')}, or the product's name, in any case.` }),
  config,
});

export const ConnectionAnswer = closed({
  id: Slug,
  name: Name,
  state: ResourceState,
  status: Type.Enum(['healthy', 'faulted']),
  errors: Notices,
  service_provider: Type.Enum([...PROVIDERS]),
  config,
  ...auditProperties,
});

/** Rulings §7, Extensions: what a probe of the warehouse found. */
export const ConnectionTestAnswer = closed({
  status: Type.Enum(['healthy', 'faulted']),
  stages: Type.Array(
    closed({
      name: Type.String(),
      status: Type.Enum(['passed', 'failed', 'skipped']),
      message: Type.String(),
    }),
  ),
});
