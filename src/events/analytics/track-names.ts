// Names of track calls that the common e-commerce specification defines, its older names included, and what they become.
// Every other name becomes a custom_event of type `other`.
import type { Static } from 'typebox';
import type { ProductAction } from '../contract/commerce.ts';

type Action = Static<typeof ProductAction>['action'];

/** Part of a commerce_event's data that a call fills. */
export type CommercePart = 'product_action' | 'promotion_action' | 'product_impressions' | 'shopping_cart';

export interface TrackName {
  readonly name: string;
  /** Another spelling, or the older name of the specification. */
  readonly also?: string;
  readonly eventType: 'custom_event' | 'commerce_event';
  readonly part?: CommercePart;
  /** `action` of the part. */
  readonly action?: Action | 'view' | 'click';
  readonly customEventType?: string;
  /** Set when the properties themselves may describe the product or promotion. */
  readonly isOfOne?: true;
}

type Meaning = Omit<TrackName, 'name' | 'also'>;

const product = (action: Action, customEventType: string = action): Meaning => ({
  eventType: 'commerce_event',
  part: 'product_action',
  action,
  customEventType,
});
const ofOne = (action: Action, customEventType?: string): Meaning => ({
  ...product(action, customEventType),
  isOfOne: true,
});
const promotion = (action: 'view' | 'click'): Meaning => ({
  eventType: 'commerce_event',
  part: 'promotion_action',
  action,
  customEventType: `promotion_${action}`,
  isOfOne: true,
});
const IMPRESSION: Meaning = {
  eventType: 'commerce_event',
  part: 'product_impressions',
  customEventType: 'impression',
};
const CART: Meaning = { eventType: 'commerce_event', part: 'shopping_cart' };
const custom = (customEventType: string): Meaning => ({ eventType: 'custom_event', customEventType });

export const OTHER_TRACK: TrackName = { name: '', ...custom('other') };

export const TRACK_NAMES: readonly TrackName[] = [
  { name: 'Products Searched', ...custom('search') },
  { name: 'Product List Viewed', also: 'Viewed Product Category', ...IMPRESSION },
  { name: 'Product List Filtered', ...IMPRESSION },
  { name: 'Promotion Viewed', also: 'Viewed Promotion', ...promotion('view') },
  { name: 'Promotion Clicked', also: 'Clicked Promotion', ...promotion('click') },
  { name: 'Product Clicked', also: 'Clicked Product', ...ofOne('click') },
  { name: 'Product Viewed', also: 'Viewed Product', ...ofOne('view_detail') },
  { name: 'Product Added', also: 'Added Product', ...ofOne('add_to_cart') },
  { name: 'Product Removed', also: 'Removed Product', ...ofOne('remove_from_cart') },
  { name: 'Product Added to Wishlist', ...ofOne('add_to_wishlist') },
  // The specification spells the action and the custom_event_type differently.
  { name: 'Product Removed from Wishlist', ...ofOne('remove_from_wish_list', 'remove_from_wishlist') },
  { name: 'Wishlist Product Added to Cart', ...ofOne('add_to_cart') },
  { name: 'Cart Viewed', also: 'Viewed Cart', ...CART },
  { name: 'Checkout Started', also: 'Started Order', ...product('checkout') },
  { name: 'Checkout Step Viewed', also: 'Viewed Checkout Step', ...product('checkout') },
  { name: 'Checkout Step Completed', also: 'Completed Checkout Step', ...product('checkout_option') },
  { name: 'Payment Info Entered', ...product('checkout_option') },
  { name: 'Order Completed', also: 'Completed Order', ...product('purchase') },
  { name: 'Order Refunded', also: 'Refunded Order', ...product('refund') },
  // No action fits these two: a cancelled order was not always paid, so it is no refund.
  { name: 'Order Updated', also: 'Updated Order', ...custom('transaction') },
  { name: 'Order Cancelled', also: 'Order Canceled', ...custom('transaction') },
  { name: 'Coupon Entered', ...custom('transaction') },
  { name: 'Coupon Applied', ...custom('transaction') },
  { name: 'Coupon Denied', ...custom('transaction') },
  { name: 'Coupon Removed', ...custom('transaction') },
  { name: 'Product Shared', ...custom('social') },
  { name: 'Cart Shared', ...custom('social') },
  { name: 'Product Reviewed', ...custom('user_content') },
];

/** Normalises a name: case, spaces, hyphens and underscores do not count, so `order_completed` is `Order Completed`. */
const keyOf = (name: string): string => name.toLowerCase().replace(/[\s_-]/g, '');

const BY_KEY: ReadonlyMap<string, TrackName> = new Map(
  TRACK_NAMES.flatMap((track) =>
    [track.name, ...(track.also === undefined ? [] : [track.also])].map((name) => [keyOf(name), track]),
  ),
);

export const findTrackName = (name: string): TrackName => BY_KEY.get(keyOf(name)) ?? OTHER_TRACK;
