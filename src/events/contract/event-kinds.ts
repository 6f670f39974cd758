// Shapes of every kind of event: the data it carries beyond COMMON_DATA (docs/spec/events.md#event-kinds, D-026), and
// whether its wrapper is closed. `data` always accepts unknown keys (D-027).
import { type Static, type TLiteral, type TObject, type TProperties, type TSchema, Type } from 'typebox';
import { COMMERCE_EVENT_TYPES, ProductAction, ProductImpression, PromotionAction, ShoppingCart } from './commerce.ts';
import { COMMON_DATA, CUSTOM_FLAGS } from './common-data.ts';
import { AnyString, AttributeValues, Bool, fields, Integer, Mpid, Name, oneOf, Text, usually } from './leaves.ts';
import { closed, maybe, open } from './objects.ts';
import { USER_IDENTITIES } from './user-identities.ts';

const CUSTOM_EVENT_TYPES = [
  'navigation',
  'location',
  'search',
  'transaction',
  'user_content',
  'user_preference',
  'social',
  'other',
  'media',
] as const;

const dataOf = <Own extends TProperties>(own: Own) => open({ ...COMMON_DATA, ...own });

type Wrapper<Kind extends string, Data extends TSchema> = TObject<{ event_type: TLiteral<Kind>; data: Data }>;

const closedEvent = <Kind extends string, Data extends TSchema>(kind: Kind, data: Data): Wrapper<Kind, Data> =>
  closed({ event_type: Type.Literal(kind), data }, { title: titleOf(kind) });
const openEvent = <Kind extends string, Data extends TSchema>(kind: Kind, data: Data): Wrapper<Kind, Data> =>
  open({ event_type: Type.Literal(kind), data }, { title: titleOf(kind) });

/** Returns the title of an event's shape: ScreenViewEvent for `screen_view`. */
function titleOf(kind: string): string {
  const words = kind.replace(/_event$/, '').split('_');
  return `${words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}Event`;
}

const customEvent = closedEvent(
  'custom_event',
  dataOf({ custom_event_type: oneOf(...CUSTOM_EVENT_TYPES), event_name: Name, ...CUSTOM_FLAGS }),
);

// One of the two names is required: the specification shows event_name, clients send screen_name (D-026).
const screenView = openEvent(
  'screen_view',
  Type.Object(
    {
      ...COMMON_DATA,
      ...fields(Name, 'screen_name', 'event_name'),
      ...fields(AnyString, 'activity_type'),
      ...CUSTOM_FLAGS,
    },
    { additionalProperties: true, anyOf: [{ required: ['screen_name'] }, { required: ['event_name'] }] },
  ),
);

const applicationStateTransition = closedEvent(
  'application_state_transition',
  dataOf({
    application_transition_type: oneOf(
      'application_initialized',
      'application_exit',
      'application_background',
      'application_foreground',
    ),
    ...fields(Bool, 'successfully_closed', 'is_first_run', 'is_upgrade'),
    ...fields(AnyString, 'push_notification_payload', 'launch_referral'),
  }),
);

const breadcrumb = closedEvent('breadcrumb', dataOf({ label: Text, ...fields(Integer, 'session_number') }));

const commerceEvent = closedEvent(
  'commerce_event',
  dataOf({
    product_action: maybe(ProductAction),
    promotion_action: maybe(PromotionAction),
    product_impressions: maybe(Type.Array(ProductImpression)),
    shopping_cart: maybe(ShoppingCart),
    ...fields(AnyString, 'currency_code'),
    ...fields(Name, 'screen_name', 'event_name'),
    ...fields(Bool, 'is_non_interactive'),
    custom_event_type: Type.Optional(oneOf(...CUSTOM_EVENT_TYPES, ...COMMERCE_EVENT_TYPES)),
    ...CUSTOM_FLAGS,
  }),
);

const crashReport = openEvent(
  'crash_report',
  dataOf({
    severity: AnyString,
    message: AnyString,
    breadcrumbs: maybe(Type.Array(breadcrumb)),
    ...fields(AnyString, 'class_name', 'stack_trace', 'topmost_context', 'pl_crash_report_file_base64'),
    ...fields(Bool, 'exception_handled'),
    ...fields(Integer, 'ios_image_base_address', 'ios_image_size', 'session_number'),
  }),
);

const firstRun = closedEvent('first_run', dataOf({}));

const networkPerformance = openEvent(
  'network_performance',
  dataOf({
    url: Text,
    response_code: Integer,
    ...fields(Text, 'http_verb'),
    ...fields(Integer, 'time_elapsed', 'bytes_in', 'bytes_out'),
    ...fields(AnyString, 'data'),
  }),
);

const optOut = openEvent('opt_out', dataOf({ is_opted_out: Bool }));

const profile = openEvent(
  'profile',
  dataOf({
    previous_mpid: Mpid,
    current_mpid: Mpid,
    profile_event_type: oneOf('signup', 'login', 'logout', 'update', 'delete'),
  }),
);

const pushMessage = openEvent(
  'push_message',
  dataOf({
    push_message_token: AnyString,
    push_message_type: oneOf('sent', 'received', 'action'),
    push_notification_payload: AnyString,
    ...fields(AnyString, 'message', 'network', 'action_identifier', 'push_message_behavior'),
    application_state: Type.Optional(usually('not_running', 'background', 'foreground')),
  }),
);

const pushRegistration = openEvent('push_registration', dataOf({ register: Bool, registration_token: Text }));

const sessionStart = openEvent('session_start', dataOf({}));
const sessionEnd = openEvent('session_end', dataOf({ session_duration_ms: Integer }));
const uninstall = openEvent('uninstall', dataOf({}));

const userAttributeChange = openEvent(
  'user_attribute_change',
  dataOf({
    user_attribute_name: Name,
    ...fields(AttributeValues, 'new', 'old'),
    ...fields(Bool, 'deleted', 'is_new_attribute'),
  }),
);

const IdentityOfChange = open({
  identity_type: Type.Optional(oneOf(...USER_IDENTITIES)),
  ...fields(AnyString, 'identity'),
  ...fields(Integer, 'timestamp_unixtime_ms'),
  ...fields(Bool, 'created_this_batch'),
});
const userIdentityChange = openEvent('user_identity_change', dataOf({ new: IdentityOfChange, old: IdentityOfChange }));

/** An event; `event_type` tells its kind, and validation reads it first. */
export const Event = Type.Union(
  [
    customEvent,
    screenView,
    applicationStateTransition,
    breadcrumb,
    commerceEvent,
    crashReport,
    firstRun,
    networkPerformance,
    optOut,
    profile,
    pushMessage,
    pushRegistration,
    sessionStart,
    sessionEnd,
    uninstall,
    userAttributeChange,
    userIdentityChange,
  ],
  { title: 'Event', discriminator: { propertyName: 'event_type' } },
);
export type Event = Static<typeof Event>;
export type EventType = Event['event_type'];
