// The mapping of the common analytics specification (Segment's and RudderStack's bodies) to batches, as tables. The code
// follows these tables, and docs/analytics.md shows them.
// Terminology: a *call* is one track, page, screen, identify, group or alias of an SDK; a *line* says where one of its fields
// goes. What the place in the batch takes (its leaf) decides what fits: `"19.90"` becomes a number where a number belongs.
import type { ConversionName } from './conversions.ts';
import type { Platform } from './platforms.ts';

export interface FieldLine {
  /** Dotted names in the call; the first that is present and fits counts (`findValue`). Null and empty text count as absent. */
  readonly from: readonly string[];
  /** Dotted place in the batch, or below what the table belongs to. */
  readonly to: string;
  /** Conversion of the value. */
  readonly as?: ConversionName;
  /** Platforms from which a call must come; absent: any. */
  readonly on?: readonly Platform[];
  /** Set when the value also stays in its old place, so it becomes an attribute or flag as well. */
  readonly copy?: true;
}

/** Fields that tell from which platform a call comes. */
export const PLATFORM_FIELDS = ['context.os.name', 'context.device.type', 'channel', 'context.library.name'] as const;

const line = (from: string | readonly string[], to: string, more: Partial<FieldLine> = {}): FieldLine => ({
  from: typeof from === 'string' ? [from] : from,
  to,
  ...more,
});

const APPLE: readonly Platform[] = ['iOS', 'tvOS'];
const ANDROID: readonly Platform[] = ['Android'];
const FIRE: readonly Platform[] = ['fire_tv'];

/** Lines of every call to its batch. */
export const CALL_LINES: readonly FieldLine[] = [
  line('messageId', 'source_request_id'),
  line('userId', 'user_identities.customer_id'),
  line('anonymousId', 'mp_deviceid', { as: 'uuid' }),
  line('anonymousId', 'user_identities.other', { as: 'noUuid' }),
  line('channel', 'source_info.channel', { as: 'channel' }),
  line('context.ip', 'ip'),
  line('context.userAgent', 'device_info.http_header_user_agent'),
  line(PLATFORM_FIELDS, 'device_info.platform', { as: 'platform', copy: true }),
  line(PLATFORM_FIELDS, 'application_info.os', { as: 'operatingSystem', copy: true }),
  line('context.os.version', 'device_info.os_version'),
  line('context.device.id', 'device_info.ios_idfv', { on: APPLE }),
  line('context.device.id', 'device_info.android_uuid', { on: ANDROID }),
  line('context.device.advertisingId', 'device_info.ios_advertising_id', { on: APPLE }),
  line('context.device.advertisingId', 'device_info.android_advertising_id', { on: ANDROID }),
  line('context.device.advertisingId', 'device_info.fire_advertising_id', { on: FIRE }),
  line('context.device.token', 'device_info.push_token'),
  line('context.device.adTrackingEnabled', 'device_info.limit_ad_tracking', { as: 'opposite' }),
  line('context.device.attTrackingStatus', 'device_info.att_authorization_status', { as: 'trackingStatus' }),
  line('context.device.manufacturer', 'device_info.device_manufacturer'),
  line('context.device.model', 'device_info.device_model'),
  line('context.device.name', 'device_info.device'),
  line('context.screen.width', 'device_info.screen_width'),
  line('context.screen.height', 'device_info.screen_height'),
  line('context.network.carrier', 'device_info.network_carrier'),
  line('context.network.bluetooth', 'device_info.bluetooth_enabled'),
  line('context.locale', 'device_info.locale_language', { as: 'language' }),
  line('context.locale', 'device_info.locale_country', { as: 'country' }),
  line('context.app.name', 'application_info.application_name'),
  line('context.app.version', 'application_info.application_version'),
  line('context.app.build', 'application_info.application_build_number'),
  line('context.app.namespace', 'application_info.package'),
  line('context.library', 'sdk_version', { as: 'nameAndVersion' }),
  line('context.campaign.source', 'attribution_info.publisher'),
  line('context.campaign.name', 'attribution_info.campaign'),
  line('context.location.latitude', 'context.location.latitude'),
  line('context.location.longitude', 'context.location.longitude'),
  line('context.location.city', 'context.location.city_name'),
  line('context.location.region', 'context.location.region_code'),
  line('context.location.country', 'context.location.country_code'),
  line(['context.consent.categoryPreferences', 'context.consentManagement'], 'consent_state.gdpr', { as: 'purposes' }),
];

/** Traits that a track, page, screen, group or alias call gives besides ids: only an identify call sets attributes. */
export const TRAITS_OF_CONTEXT: readonly FieldLine[] = [
  line('context.traits.email', 'user_identities.email'),
  line('context.traits.phone', 'user_identities.mobile_number'),
];

/** Lines of an identify call to its identity request. */
export const IDENTIFY_LINES: readonly FieldLine[] = [
  line(['traits.email', 'context.traits.email'], 'user_identities.email'),
  line(['traits.phone', 'context.traits.phone'], 'user_identities.mobile_number'),
];

/** Lines of an alias call to its identity request: the person was known under the other id before. */
export const ALIAS_LINES: readonly FieldLine[] = [
  line('previousId', 'mp_deviceid', { as: 'uuid' }),
  line('previousId', 'user_identities.other', { as: 'noUuid' }),
];

/** Lines of page and screen calls to `data` of a screen_view. */
export const SCREEN_LINES: readonly FieldLine[] = [
  line(
    ['name', 'properties.name', 'properties.title', 'properties.path', 'context.page.title', 'context.page.path'],
    'event_name',
    { copy: true },
  ),
  line(['properties.category', 'category'], 'custom_attributes.category'),
];

/** Lines of a group call to `data` of a custom_event. */
export const GROUP_LINES: readonly FieldLine[] = [line('groupId', 'custom_attributes.groupId')];

/** Lines of a track call to `data` of its event. */
export const TRACK_LINES: readonly FieldLine[] = [line('event', 'event_name')];

/** Lines of a track call to `data` of a commerce_event. */
export const COMMERCE_LINES: readonly FieldLine[] = [...TRACK_LINES, line('properties.currency', 'currency_code')];

/** Further lines for a commerce_event with a product action. */
export const ORDER_LINES: readonly FieldLine[] = [
  line('properties.order_id', 'product_action.transaction_id'),
  line(['properties.total', 'properties.revenue', 'properties.value'], 'product_action.total_amount'),
  line('properties.tax', 'product_action.tax_amount'),
  line('properties.shipping', 'product_action.shipping_amount'),
  line('properties.coupon', 'product_action.coupon_code'),
  line('properties.affiliation', 'product_action.affiliation'),
  line('properties.step', 'product_action.checkout_step'),
  line(['properties.payment_method', 'properties.shipping_method'], 'product_action.checkout_options'),
  line(['properties.list_id', 'properties.list'], 'product_action.product_action_list'),
];

/** Further lines for a commerce_event that shows a list of products. */
export const IMPRESSION_LINES: readonly FieldLine[] = [
  line(['properties.list_id', 'properties.category', 'event'], 'product_impressions.product_impression_list', {
    copy: true,
  }),
];

/** Lines that map a product, of a list or among the properties themselves, to a product of a commerce event. */
export const PRODUCT_LINES: readonly FieldLine[] = [
  line(['product_id', 'id', 'sku'], 'id'),
  line('name', 'name'),
  line('brand', 'brand'),
  line('category', 'category'),
  line('variant', 'variant'),
  line('coupon', 'coupon_code'),
  line('position', 'position'),
  line('price', 'price'),
  line('quantity', 'quantity'),
];

/** Lines that map a promotion, of a list or among the properties themselves, to a promotion of a commerce event. */
export const PROMOTION_LINES: readonly FieldLine[] = [
  line(['promotion_id', 'id'], 'id'),
  line('name', 'name'),
  line('creative', 'creative'),
  line('position', 'position'),
];
