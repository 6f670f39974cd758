import { Type } from 'typebox';
import { AnyString, Bool, fields, Integer, identities, Numeric, oneOf, Uuid, usually } from './leaves.ts';
import { closed } from './objects.ts';

/** Shape of `device_info`. */
export const DeviceInformation = closed(
  {
    ...fields(AnyString, 'brand', 'product', 'device', 'device_manufacturer', 'os_version', 'device_model'),
    ...fields(AnyString, 'device_country', 'locale_language', 'locale_country', 'network_country', 'network_carrier'),
    ...fields(AnyString, 'network_code', 'network_mobile_country_code', 'build_identifier', 'http_header_user_agent'),
    ...fields(AnyString, 'cpu_architecture', 'radio_access_technology', 'bluetooth_version', 'build_version_release'),
    ...identities(AnyString, 'android_uuid', 'push_token', 'amp_id', 'microsoft_advertising_id'),
    ...identities(AnyString, 'microsoft_publisher_id'),
    ...fields(Integer, 'screen_height', 'screen_width', 'screen_dpi', 'timezone_offset', 'att_timestamp_unixtime_ms'),
    ...fields(Bool, 'is_tablet', 'push_notification_sound_enabled', 'push_notification_vibrate_enabled'),
    ...fields(Bool, 'supports_telephony', 'has_nfc', 'bluetooth_enabled', 'limit_ad_tracking', 'is_dst'),
    ...identities(Uuid, 'ios_advertising_id', 'ios_idfv', 'android_advertising_id'),
    ...identities(Uuid, 'roku_advertising_id', 'roku_publisher_id', 'fire_advertising_id'),
    platform: Type.Optional(
      oneOf('iOS', 'Android', 'web', 'tvOS', 'roku', 'out_of_band', 'alexa', 'smart_tv', 'fire_tv', 'xbox'),
    ),
    att_authorization_status: Type.Optional(oneOf('authorized', 'denied', 'not_determined', 'restricted')),
  },
  { title: 'DeviceInformation' },
);

const orientation = usually(
  'portrait',
  'portrait_upside_down',
  'landscape',
  'LandscapeLeft',
  'LandscapeRight',
  'FaceUp',
  'FaceDown',
  'Square',
);

/** Shape of `device_current_state`. */
export const DeviceCurrentState = closed(
  {
    ...fields(Integer, 'time_since_start_ms', 'total_system_memory_usage_bytes', 'disk_space_free_bytes'),
    ...fields(Integer, 'external_disk_space_free_bytes'),
    ...fields(Numeric, 'battery_level', 'system_memory_available_bytes', 'system_memory_threshold_bytes'),
    ...fields(Numeric, 'application_memory_available_bytes', 'application_memory_max_bytes'),
    ...fields(Numeric, 'application_memory_total_bytes'),
    ...fields(AnyString, 'data_connection_type', 'data_connection_type_detail', 'cpu'),
    ...fields(Bool, 'gps_state', 'system_memory_low'),
    ...fields(orientation, 'device_orientation', 'status_bar_orientation'),
  },
  { title: 'DeviceCurrentState' },
);
