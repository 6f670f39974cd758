import { type Static, Type } from 'typebox';
import type { Json } from '../../kernel/index.ts';
import {
  ApplicationInformation,
  AttributionInfo,
  BatchContext,
  ConsentState,
  IntegrationAttributes,
  SourceInformation,
} from './circumstances.ts';
import { DeviceInformation } from './device.ts';
import { Event } from './event-kinds.ts';
import {
  AnyString,
  AttributeValues,
  fields,
  Integer,
  IpAddress,
  identities,
  Mpid,
  Name,
  oneOf,
  Text,
  Uuid,
} from './leaves.ts';
import { closed, mapOf, maybe } from './objects.ts';
import { UserIdentities } from './user-identities.ts';

/** Example for the reference page. */
export const SOME_BATCH = {
  user_identities: { customer_id: '4711', email: 'ann@example.org' },
  user_attributes: { plan: 'gold' },
  events: [
    {
      event_type: 'custom_event',
      data: { custom_event_type: 'search', event_name: 'Searched', custom_attributes: { words: 'red shoes' } },
    },
  ],
};

/** Shape of an event batch: events of one user, and what is known about them (docs/spec/events.md#event-batch). */
export const EventBatch = closed(
  {
    ...fields(AnyString, 'source_request_id', 'api_key', 'partner_identity', 'sdk_version', 'job_id'),
    events: maybe(Type.Array(Event)),
    device_info: maybe(DeviceInformation),
    application_info: maybe(ApplicationInformation),
    user_attributes: maybe(mapOf(AttributeValues, { names: true, fields: 'userAttributesPerBatch' })),
    deleted_user_attributes: maybe(Type.Array(Name)),
    user_identities: maybe(UserIdentities),
    environment: Type.Optional(oneOf('development', 'production')),
    api_keys: maybe(Type.Array(Text)),
    ip: Type.Optional(IpAddress),
    integration_attributes: maybe(IntegrationAttributes),
    context: maybe(BatchContext),
    partner_identities: maybe(mapOf(AnyString)),
    source_info: maybe(SourceInformation),
    ...identities(Uuid, 'mp_deviceid'),
    attribution_info: maybe(AttributionInfo),
    ...fields(Integer, 'timestamp_unixtime_ms', 'batch_id'),
    ...fields(Mpid, 'mpid', 'origin_mpid'),
    consent_state: maybe(ConsentState),
    // Clients send this field. It is accepted and ignored (D-028).
    schema_version: Type.Optional(Type.Unsafe<Json>({})),
  },
  { title: 'EventBatch', examples: [SOME_BATCH] },
);
export type EventBatch = Static<typeof EventBatch>;
