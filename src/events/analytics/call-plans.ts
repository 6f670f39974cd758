// Plans of what a call becomes, built from the tables: one per call type, and one per name of a track call.

import type { Json } from '../../kernel/index.ts';
import type { EventType } from '../contract/event-kinds.ts';
import { requiredFields } from '../contract/required-fields.ts';
import type { Call, CallType } from './call-contract.ts';
import { type CompiledLine, compileLines, type Steps } from './compile-lines.ts';
import {
  ALIAS_LINES,
  CALL_LINES,
  COMMERCE_LINES,
  GROUP_LINES,
  IDENTIFY_LINES,
  IMPRESSION_LINES,
  ORDER_LINES,
  PRODUCT_LINES,
  PROMOTION_LINES,
  SCREEN_LINES,
  TRACK_LINES,
  TRAITS_OF_CONTEXT,
} from './field-lines.ts';
import { findTrackName, OTHER_TRACK, TRACK_NAMES, type TrackName } from './track-names.ts';

/** Products or promotions: a list among the properties, or one that the properties themselves describe. */
export interface ListPlan {
  readonly from: 'products' | 'promotions';
  /** Place of the list. */
  readonly to: Steps;
  /** Lines of an item; their places are those of the first item. */
  readonly lines: readonly CompiledLine[];
  readonly isOfOne: boolean;
  /** The list is required, even if it is empty. */
  readonly isNeeded: boolean;
  /** Other fields of an item become its custom_attributes. */
  readonly keepsOthers: boolean;
}

export interface CallPlan {
  /** Kind of the event; absent for an identity request, which has no event. */
  readonly eventType?: EventType;
  /** Fields below `events[0].data` that do not come from the call. */
  readonly fixed: readonly (readonly [Steps, Json])[];
  /** `data.event_name` where the call has none. */
  readonly unnamed?: string;
  readonly list?: ListPlan;
  readonly lines: readonly CompiledLine[];
  /** The object of the call whose other fields become attributes, and where. */
  readonly others?: readonly ['properties' | 'traits', Steps];
}

const DATA = 'events.data';
export const DATA_STEPS: Steps = ['events', 0, 'data'];
const ATTRIBUTES: Steps = [...DATA_STEPS, 'custom_attributes'];
const ofEvent = (lines: readonly Parameters<typeof compileLines>[0][number][], eventType: EventType) =>
  compileLines(lines, { below: DATA, eventType });
const ofBatch = (...tables: readonly (readonly Parameters<typeof compileLines>[0][number][])[]) =>
  compileLines(tables.flat(), { below: '' });

/** Objects that a call may fill in part, with their required fields: those that the call lacks become null. */
export const FILLED_UP: readonly (readonly [Steps, readonly string[]])[] = ['attribution_info', 'context.location'].map(
  (place) => [place.split('.'), requiredFields(place, undefined).flat()],
);

const ANY_EVENT = ofBatch(CALL_LINES, TRAITS_OF_CONTEXT);

const screenPlan = (unnamed: string): CallPlan => ({
  eventType: 'screen_view',
  fixed: [],
  unnamed,
  lines: [...ANY_EVENT, ...ofEvent(SCREEN_LINES, 'screen_view')],
  others: ['properties', ATTRIBUTES],
});

const PLANS: Readonly<Record<Exclude<CallType, 'track'>, CallPlan>> = {
  page: screenPlan('page'),
  screen: screenPlan('screen'),
  identify: { fixed: [], lines: ofBatch(CALL_LINES, IDENTIFY_LINES), others: ['traits', ['user_attributes']] },
  // A group identifies nobody. Its traits belong to the group, so they become no user attributes.
  group: {
    eventType: 'custom_event',
    fixed: [
      [[...DATA_STEPS, 'event_name'], 'group'],
      [[...DATA_STEPS, 'custom_event_type'], 'other'],
    ],
    lines: [...ANY_EVENT, ...ofEvent(GROUP_LINES, 'custom_event')],
    others: ['traits', ATTRIBUTES],
  },
  alias: { fixed: [], lines: ofBatch(CALL_LINES, ALIAS_LINES, TRAITS_OF_CONTEXT) },
};

const TRACK_PLANS: ReadonlyMap<TrackName, CallPlan> = new Map(TRACK_NAMES.map((track) => [track, trackPlan(track)]));
const OTHER_TRACK_PLAN = trackPlan(OTHER_TRACK);

function trackPlan(track: TrackName): CallPlan {
  const { eventType, customEventType, part, action } = track;
  const lines = eventType === 'custom_event' ? TRACK_LINES : commerceLines(track);
  const list = part === undefined ? undefined : listPlan(part, track.isOfOne === true);
  return {
    eventType,
    fixed: [
      ...(customEventType === undefined ? [] : [[[...DATA_STEPS, 'custom_event_type'], customEventType] as const]),
      ...(part === undefined || action === undefined ? [] : [[[...DATA_STEPS, part, 'action'], action] as const]),
    ],
    ...(list !== undefined && { list }),
    lines: [...ANY_EVENT, ...ofEvent(lines, eventType)],
    others: ['properties', ATTRIBUTES],
  };
}

function commerceLines({ part }: TrackName) {
  if (part === 'product_action') return [...COMMERCE_LINES, ...ORDER_LINES];
  return part === 'product_impressions' ? [...COMMERCE_LINES, ...IMPRESSION_LINES] : COMMERCE_LINES;
}

function listPlan(part: NonNullable<TrackName['part']>, isOfOne: boolean): ListPlan {
  const isPromotion = part === 'promotion_action';
  const from = isPromotion ? 'promotions' : 'products';
  const lines = compileLines(isPromotion ? PROMOTION_LINES : PRODUCT_LINES, {
    below: `${DATA}.${part}.${from}`,
    eventType: 'commerce_event',
  });
  const [first] = lines;
  return {
    from,
    // without the 0 of the item and the field itself
    to: first?.to.slice(0, -2) ?? [],
    lines,
    isOfOne,
    isNeeded: part === 'shopping_cart' || part === 'product_impressions',
    keepsOthers: !isPromotion,
  };
}

export function planOf({ type, fields }: Call): CallPlan {
  if (type !== 'track') return PLANS[type];
  return TRACK_PLANS.get(findTrackName(String(fields.event))) ?? OTHER_TRACK_PLAN;
}
