// Shapes of the parts of commerce events (docs/spec/events.md#commerce-objects).
import { Type } from 'typebox';
import { AnyString, AttributeText, fields, Integer, Numeric, oneOf, Text } from './leaves.ts';
import { closed, mapOf, maybe, nullable, open } from './objects.ts';

/** Names of wish list actions. Both spellings pass wherever one of them is listed (D-028). */
const WISHLIST = ['add_to_wishlist', 'remove_from_wishlist', 'remove_from_wish_list'] as const;
const CART = ['add_to_cart', 'remove_from_cart', 'checkout', 'checkout_option', 'click', 'view_detail'] as const;
const SALE = ['purchase', 'refund'] as const;

/** Values of custom_event_type that a commerce_event may have besides those of a custom_event. */
export const COMMERCE_EVENT_TYPES = [
  ...CART,
  ...SALE,
  'promotion_view',
  'promotion_click',
  ...WISHLIST,
  'impression',
  'attribution',
  'consent_granted',
  'consent_denied',
] as const;

/** Shape of a product. The specification does not call it closed: unknown fields pass. */
const Product = open(
  {
    ...fields(Text, 'id', 'name'),
    ...fields(AnyString, 'brand', 'category', 'variant', 'coupon_code'),
    ...fields(Integer, 'position', 'added_to_cart_time_ms'),
    ...fields(Numeric, 'price', 'quantity', 'total_product_amount'),
    custom_attributes: maybe(mapOf(AttributeText, { names: true, fields: 'attributesPerEvent' })),
  },
  { title: 'Product' },
);
const Products = Type.Array(Product);

export const ProductAction = closed(
  {
    action: oneOf(...CART, ...SALE, ...WISHLIST),
    ...fields(Integer, 'checkout_step'),
    ...fields(
      AnyString,
      'checkout_options',
      'product_action_list',
      'product_list_source',
      'affiliation',
      'coupon_code',
    ),
    ...fields(Text, 'transaction_id'),
    ...fields(Numeric, 'total_amount', 'tax_amount', 'shipping_amount'),
    products: maybe(Products),
  },
  { title: 'ProductAction' },
);

export const ProductImpression = closed(
  { product_impression_list: Text, products: nullable(Products) },
  { title: 'ProductImpression' },
);

/** Shape of `shopping_cart`, which the specification leaves open. */
export const ShoppingCart = closed({ products: Products }, { title: 'ShoppingCart' });

const Promotion = closed(
  { ...fields(Text, 'id', 'name'), ...fields(AnyString, 'creative', 'position') },
  { title: 'Promotion' },
);

export const PromotionAction = closed(
  { action: oneOf('view', 'click'), promotions: maybe(Type.Array(Promotion)) },
  { title: 'PromotionAction' },
);
