import { GeoLocation } from './circumstances.ts';
import { DeviceCurrentState } from './device.ts';
import { AnyName, AnyString, AttributeValue, Bool, fields, Integer, Numeric, oneOf, Text, Uuid } from './leaves.ts';
import { mapOf, maybe, open } from './objects.ts';

/** Values under free keys that are counted and bounded as an event's attributes. */
const CustomAttributes = mapOf(AttributeValue, { names: true, fields: 'attributesPerEvent' });

/** Fields of `data` that every event may have (docs/spec/events.md#common-event-data). */
export const COMMON_DATA = {
  ...fields(Integer, 'timestamp_unixtime_ms', 'event_id', 'session_id', 'session_start_unixtime_ms'),
  ...fields(Integer, 'event_start_unixtime_ms', 'event_num'),
  ...fields(Text, 'source_message_id'),
  ...fields(Uuid, 'session_uuid'),
  custom_attributes: maybe(CustomAttributes),
  location: maybe(GeoLocation),
  device_current_state: maybe(DeviceCurrentState),
  ...fields(Bool, 'is_goal_defined', 'is_main_thread'),
  ...fields(Numeric, 'lifetime_value_change'),
  ...fields(AnyName, 'lifetime_value_attribute_name'),
  ...fields(AnyString, 'data_connection_type', 'view_controller', 'canonical_name'),
  event_system_notification_info: maybe(open({ type: oneOf('gdpr_change') })),
};

/** Flags for integrations: String values under free keys. */
// Names and values have the bounds of attributes; their number has none.
export const CUSTOM_FLAGS = { custom_flags: maybe(mapOf(AttributeValue, { names: true })) };
