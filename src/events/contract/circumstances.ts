// Circumstances of a batch's events: application, place, consent, attribution, source and data plan.
import { Type } from 'typebox';
import { AnyString, Bool, fields, Integer, Numeric, oneOf, Text, usually } from './leaves.ts';
import { closed, mapOf, maybe, nullable, open } from './objects.ts';

/** Objects of String under free keys; what stands under a key may be null. */
const GroupsOfStrings = mapOf(nullable(mapOf(AnyString)));

/** Shape of `application_info`. */
export const ApplicationInformation = closed(
  {
    ...fields(AnyString, 'application_name', 'application_version', 'application_build_number', 'install_referrer'),
    ...fields(AnyString, 'package'),
    os: Type.Optional(
      usually(
        'IOS',
        'Android',
        'WindowsPhone',
        'MobileWeb',
        'UnityIOS',
        'UnityAndroid',
        'Desktop',
        'TVOS',
        'Roku',
        'OutOfBand',
        'Alexa',
        'SmartTV',
        'FireTV',
        'Xbox',
        'Unknown',
      ),
    ),
    apple_search_ads_attributes: maybe(GroupsOfStrings),
  },
  { title: 'ApplicationInformation' },
);

/** Shape of `integration_attributes`. */
export const IntegrationAttributes = GroupsOfStrings;

/** Shape of `attribution_info`. */
export const AttributionInfo = closed(
  { service_provider: AnyString, publisher: AnyString, campaign: AnyString },
  { title: 'AttributionInfo' },
);

const ConsentPurpose = closed(
  {
    ...fields(AnyString, 'regulation', 'document', 'location', 'hardware_id'),
    consented: Bool,
    timestamp_unixtime_ms: Integer,
  },
  { title: 'ConsentPurpose' },
);

/** Shape of `consent_state`: purposes by their keys, for each regulation. */
export const ConsentState = closed(
  {
    gdpr: maybe(mapOf(nullable(ConsentPurpose))),
    ccpa: maybe(mapOf(nullable(ConsentPurpose))),
  },
  { title: 'ConsentState' },
);

/** Shape of a geo location. */
export const GeoLocation = closed(
  {
    latitude: Numeric,
    longitude: Numeric,
    ...fields(Numeric, 'accuracy'),
    ...fields(Integer, 'dma_code'),
    ...fields(AnyString, 'country_code', 'region_code', 'postal_code', 'location_source', 'city_name'),
  },
  { title: 'GeoLocation' },
);

/** Shape of `source_info` (D-029). */
export const SourceInformation = open(
  {
    channel: oneOf('native', 'javascript', 'pixel', 'desktop', 'partner', 'server_to_server'),
    ...fields(AnyString, 'partner', 'replay_request_id', 'replay_job_id'),
    ...fields(Bool, 'is_historical'),
  },
  { title: 'SourceInformation' },
);

/** Shape of `context`. */
export const BatchContext = open(
  {
    data_plan: maybe(open({ plan_id: Text, ...fields(Integer, 'plan_version') })),
    location: maybe(GeoLocation),
  },
  { title: 'BatchContext' },
);
