// Every field of a batch by its type (docs/spec/events.md): none is missing, and none is there that is not listed.
import { describe, expect, it } from 'vitest';
import { findDestination, type Leaf } from '../../../src/events/index.ts';

type Types = Partial<Record<Leaf['kind'] | 'objects', string>>;

const COMMON: Types = {
  Integer: 'timestamp_unixtime_ms event_id session_id session_start_unixtime_ms event_start_unixtime_ms event_num',
  string: 'source_message_id',
  Uuid: 'session_uuid',
  objects: 'custom_attributes location device_current_state event_system_notification_info',
  Boolean: 'is_goal_defined is_main_thread',
  Number: 'lifetime_value_change',
  String: 'lifetime_value_attribute_name data_connection_type view_controller canonical_name',
};
const PRODUCT: Types = {
  string: 'id name',
  String: 'brand category variant coupon_code',
  Integer: 'position added_to_cart_time_ms',
  Number: 'price quantity total_product_amount',
  objects: 'custom_attributes',
};
const PURPOSE: Types = {
  String: 'regulation document location hardware_id',
  Boolean: 'consented',
  Integer: 'timestamp_unixtime_ms',
};
const LOCATION: Types = {
  Number: 'latitude longitude accuracy',
  Integer: 'dma_code',
  String: 'country_code region_code postal_code location_source city_name',
};

const OF_BATCH: Readonly<Record<string, Types>> = {
  '': {
    String: 'source_request_id api_key partner_identity sdk_version job_id',
    string: 'environment',
    Ip: 'ip',
    Uuid: 'mp_deviceid',
    Integer: 'timestamp_unixtime_ms batch_id mpid origin_mpid',
    objects:
      'events device_info application_info user_attributes deleted_user_attributes user_identities api_keys integration_attributes context partner_identities source_info attribution_info consent_state schema_version',
  },
  user_identities: {
    String:
      'other customer_id customerid facebook twitter google microsoft yahoo email alias facebook_custom_audience_id other_id_2 other_id_3 other_id_4 other_id_5 other_id_6 other_id_7 other_id_8 other_id_9 other_id_10 mobile_number phone_number_2 phone_number_3',
  },
  device_info: {
    String:
      'brand product device android_uuid device_manufacturer os_version device_model device_country locale_language locale_country network_country network_carrier network_code network_mobile_country_code build_identifier http_header_user_agent push_token cpu_architecture radio_access_technology bluetooth_version build_version_release amp_id microsoft_advertising_id microsoft_publisher_id',
    Integer: 'screen_height screen_width screen_dpi timezone_offset att_timestamp_unixtime_ms',
    Boolean:
      'is_tablet push_notification_sound_enabled push_notification_vibrate_enabled supports_telephony has_nfc bluetooth_enabled limit_ad_tracking is_dst',
    Uuid: 'ios_advertising_id ios_idfv android_advertising_id roku_advertising_id roku_publisher_id fire_advertising_id',
    string: 'platform att_authorization_status',
  },
  application_info: {
    String: 'application_name application_version application_build_number install_referrer package os',
    objects: 'apple_search_ads_attributes',
  },
  attribution_info: { String: 'service_provider publisher campaign' },
  consent_state: { objects: 'gdpr ccpa' },
  'consent_state.gdpr.any': PURPOSE,
  'consent_state.ccpa.any': PURPOSE,
  context: { objects: 'data_plan location' },
  'context.data_plan': { string: 'plan_id', Integer: 'plan_version' },
  'context.location': LOCATION,
  source_info: { string: 'channel', String: 'partner replay_request_id replay_job_id', Boolean: 'is_historical' },
};

const OF_DATA: Readonly<Record<string, Types>> = {
  custom_event: { string: 'custom_event_type event_name', objects: 'custom_flags' },
  screen_view: { string: 'screen_name event_name', String: 'activity_type', objects: 'custom_flags' },
  application_state_transition: {
    string: 'application_transition_type',
    Boolean: 'successfully_closed is_first_run is_upgrade',
    String: 'push_notification_payload launch_referral',
  },
  breadcrumb: { string: 'label', Integer: 'session_number' },
  commerce_event: {
    objects: 'product_action promotion_action product_impressions shopping_cart custom_flags',
    String: 'currency_code',
    string: 'screen_name event_name custom_event_type',
    Boolean: 'is_non_interactive',
  },
  crash_report: {
    String: 'severity message class_name stack_trace topmost_context pl_crash_report_file_base64',
    Boolean: 'exception_handled',
    Integer: 'ios_image_base_address ios_image_size session_number',
    objects: 'breadcrumbs',
  },
  first_run: {},
  network_performance: {
    string: 'url http_verb',
    Integer: 'response_code time_elapsed bytes_in bytes_out',
    String: 'data',
  },
  opt_out: { Boolean: 'is_opted_out' },
  profile: { Integer: 'previous_mpid current_mpid', string: 'profile_event_type' },
  push_message: {
    String:
      'push_message_token push_notification_payload message network action_identifier application_state push_message_behavior',
    string: 'push_message_type',
  },
  push_registration: { Boolean: 'register', string: 'registration_token' },
  session_start: {},
  session_end: { Integer: 'session_duration_ms' },
  uninstall: {},
  user_attribute_change: { string: 'user_attribute_name', String: 'new old', Boolean: 'deleted is_new_attribute' },
  user_identity_change: { objects: 'new old' },
};

const IN_DATA: readonly (readonly [string, string, Types])[] = [
  ['first_run', 'location', LOCATION],
  ['first_run', 'event_system_notification_info', { string: 'type' }],
  [
    'first_run',
    'device_current_state',
    {
      Integer:
        'time_since_start_ms total_system_memory_usage_bytes disk_space_free_bytes external_disk_space_free_bytes',
      Number:
        'battery_level system_memory_available_bytes system_memory_threshold_bytes application_memory_available_bytes application_memory_max_bytes application_memory_total_bytes',
      String: 'data_connection_type data_connection_type_detail cpu device_orientation status_bar_orientation',
      Boolean: 'gps_state system_memory_low',
    },
  ],
  [
    'commerce_event',
    'product_action',
    {
      string: 'action transaction_id',
      Integer: 'checkout_step',
      String: 'checkout_options product_action_list product_list_source affiliation coupon_code',
      Number: 'total_amount tax_amount shipping_amount',
      objects: 'products',
    },
  ],
  ['commerce_event', 'product_action.products', PRODUCT],
  ['commerce_event', 'shopping_cart', { objects: 'products' }],
  ['commerce_event', 'shopping_cart.products', PRODUCT],
  ['commerce_event', 'product_impressions', { string: 'product_impression_list', objects: 'products' }],
  ['commerce_event', 'product_impressions.products', PRODUCT],
  ['commerce_event', 'promotion_action', { string: 'action', objects: 'promotions' }],
  ['commerce_event', 'promotion_action.promotions', { string: 'id name', String: 'creative position' }],
  ['crash_report', 'breadcrumbs', { string: 'event_type', objects: 'data' }],
  [
    'user_identity_change',
    'new',
    { string: 'identity_type', String: 'identity', Integer: 'timestamp_unixtime_ms', Boolean: 'created_this_batch' },
  ],
  [
    'user_identity_change',
    'old',
    { string: 'identity_type', String: 'identity', Integer: 'timestamp_unixtime_ms', Boolean: 'created_this_batch' },
  ],
];

const words = (text: string | undefined): readonly string[] => (text === undefined ? [] : text.split(' '));
const at = (place: string, name: string): string => (place === '' ? name : `${place}.${name}`);

function expectFields(place: string, eventType: string | undefined, types: Types): void {
  const { problem } = findDestination(at(place, 'no_such_field'), eventType) as { readonly problem: string };
  const known = problem.split('known are ')[1] ?? '';
  expect([...known.split(', ')].sort()).toEqual(Object.values(types).flatMap(words).sort());
  for (const kind of ['String', 'string', 'Integer', 'Number', 'Boolean', 'Uuid', 'Ip'] as const) {
    for (const name of words(types[kind])) {
      expect(findDestination(at(place, name), eventType), at(place, name)).toMatchObject({
        leaf: { kind, nullable: kind !== 'string' },
      });
    }
  }
}

/** Fields of two groups, type by type. */
function both(one: Types, other: Types): Types {
  const types = [...Object.keys(one), ...Object.keys(other)] as (keyof Types)[];
  return Object.fromEntries(types.map((type) => [type, [...words(one[type]), ...words(other[type])].join(' ')]));
}

const PLAIN = 'navigation location search transaction user_content user_preference social other media';
const CART = 'add_to_cart remove_from_cart checkout checkout_option click view_detail purchase refund';
const WISHES = 'add_to_wishlist remove_from_wishlist remove_from_wish_list';

describe('the fields', () => {
  it.each(Object.entries(OF_BATCH))('of %j are those of the specification', (place, types) =>
    expectFields(place, undefined, types),
  );

  it.each(Object.entries(OF_DATA))('of the data of %s are those of the specification', (kind, own) =>
    expectFields('events.data', kind, both(COMMON, own)),
  );

  it.each(IN_DATA)('of %s: %s are those of the specification', (kind, place, types) =>
    expectFields(`events.data.${place}`, kind, types),
  );

  it.each([
    ['user_attributes', undefined, { kind: 'String', list: 'either', length: 'value' }, true],
    ['integration_attributes.any', undefined, { kind: 'String', list: 'never' }, false],
    ['application_info.apple_search_ads_attributes.any', undefined, { kind: 'String', list: 'never' }, false],
    ['partner_identities', undefined, { kind: 'String', list: 'never' }, false],
    ['events.data.custom_attributes', 'opt_out', { kind: 'String', list: 'never', length: 'value' }, true],
    ['events.data.custom_flags', 'custom_event', { kind: 'String', list: 'never', length: 'value' }, true],
    ['events.data.custom_flags', 'screen_view', { kind: 'String', list: 'never', length: 'value' }, true],
    ['events.data.custom_flags', 'commerce_event', { kind: 'String', list: 'never', length: 'value' }, true],
    [
      'events.data.shopping_cart.products.custom_attributes',
      'commerce_event',
      { kind: 'string', list: 'never', length: 'value' },
      true,
    ],
  ])('under free keys of %s of %s have their type', (...[place, kind, leaf, named]) => {
    expect(findDestination(`${place}.any`, kind)).toMatchObject({
      leaf: { ...leaf, nullable: leaf.kind === 'String' },
      named,
    });
  });

  it.each([
    ['environment', undefined, 'development production'],
    ['device_info.platform', undefined, 'iOS Android web tvOS roku out_of_band alexa smart_tv fire_tv xbox'],
    ['device_info.att_authorization_status', undefined, 'authorized denied not_determined restricted'],
    ['source_info.channel', undefined, 'native javascript pixel desktop partner server_to_server'],
    ['events.data.event_system_notification_info.type', 'first_run', 'gdpr_change'],
    ['events.data.custom_event_type', 'custom_event', PLAIN],
    [
      'events.data.custom_event_type',
      'commerce_event',
      `${PLAIN} ${CART} promotion_view promotion_click ${WISHES} impression attribution consent_granted consent_denied`,
    ],
    ['events.data.product_action.action', 'commerce_event', `${CART} ${WISHES}`],
    ['events.data.promotion_action.action', 'commerce_event', 'view click'],
    [
      'events.data.application_transition_type',
      'application_state_transition',
      'application_initialized application_exit application_background application_foreground',
    ],
    ['events.data.profile_event_type', 'profile', 'signup login logout update delete'],
    ['events.data.push_message_type', 'push_message', 'sent received action'],
    ['events.data.new.identity_type', 'user_identity_change', OF_BATCH.user_identities?.String ?? ''],
  ])('%s of %s has the values of the specification', (path, kind, allowed) => {
    const { leaf } = findDestination(path, kind) as { readonly leaf: Leaf };
    expect([...(leaf.allowed ?? [])].sort()).toEqual(words(allowed).toSorted());
  });

  it.each([
    ['application_info.os', undefined],
    ['events.data.device_current_state.device_orientation', 'first_run'],
    ['events.data.device_current_state.status_bar_orientation', 'first_run'],
    ['events.data.application_state', 'push_message'],
    ['events.data.push_message_behavior', 'push_message'],
  ])('%s has no fixed values (D-028)', (path, kind) => {
    expect((findDestination(path, kind) as { readonly leaf: Leaf }).leaf.allowed).toBeUndefined();
  });

  it.each([
    ['mpid', undefined],
    ['origin_mpid', undefined],
    ['events.data.previous_mpid', 'profile'],
    ['events.data.current_mpid', 'profile'],
  ])('%s may come as its digits (D-003)', (path, kind) => {
    expect(findDestination(path, kind)).toMatchObject({ leaf: { kind: 'Integer', digits: true } });
    expect(findDestination('batch_id', undefined)).not.toMatchObject({ leaf: { digits: true } });
  });

  it('that are identities or device ids are marked with their type', () => {
    const marked = (place: string, names: readonly string[]) =>
      names.filter(
        (name) => (findDestination(at(place, name), undefined) as { leaf: Leaf }).leaf.identity !== undefined,
      );
    expect(marked('user_identities', words(OF_BATCH.user_identities?.String))).toHaveLength(23);
    const ofDevice = Object.values(OF_BATCH.device_info ?? {}).flatMap(words);
    expect(marked('device_info', ofDevice).sort()).toEqual(
      'amp_id android_advertising_id android_uuid fire_advertising_id ios_advertising_id ios_idfv microsoft_advertising_id microsoft_publisher_id push_token roku_advertising_id roku_publisher_id'.split(
        ' ',
      ),
    );
    expect(marked('', ['mp_deviceid', 'mpid', 'api_key', 'partner_identity'])).toEqual(['mp_deviceid']);
  });
});
