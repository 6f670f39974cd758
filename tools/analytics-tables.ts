// The tables of docs/analytics.md, from those that the code goes by.
import { CONVERSIONS } from '../src/events/analytics/conversions.ts';
import {
  ALIAS_LINES,
  CALL_LINES,
  COMMERCE_LINES,
  type FieldLine,
  GROUP_LINES,
  IDENTIFY_LINES,
  IMPRESSION_LINES,
  ORDER_LINES,
  PRODUCT_LINES,
  PROMOTION_LINES,
  SCREEN_LINES,
  TRACK_LINES,
  TRAITS_OF_CONTEXT,
} from '../src/events/analytics/field-lines.ts';
import { OTHER_TRACK, TRACK_NAMES, type TrackName } from '../src/events/analytics/track-names.ts';
import { code, type Tables, table } from './page-tables.ts';

/** `below` is what the places of the lines are relative to. */
function fieldTable(lines: readonly FieldLine[], below = ''): string {
  return table(
    ['field of the call', 'becomes', 'how'],
    lines.map((line) => [line.from.map(code).join(', else '), code(`${below}${line.to}`), howOf(line)]),
  );
}

function howOf({ as, on, copy }: FieldLine): string {
  const words = [
    ...(as === undefined ? [] : [CONVERSIONS[as].meaning]),
    ...(on === undefined ? [] : [`of a device with ${on.join(' or ')}`]),
    ...(copy === undefined ? [] : ['also kept as an attribute or flag']),
  ];
  return words.join('; ');
}

function meaningOf({ eventType, part, action }: TrackName): string {
  if (part === undefined) return code(eventType);
  const what = action === undefined ? code(part) : `${code(`${part}.action`)} = ${code(action)}`;
  return `${code(eventType)}, ${what}`;
}

export const ANALYTICS_TABLES: Tables = {
  'analytics-calls': () => fieldTable(CALL_LINES),
  'analytics-context-traits': () => fieldTable(TRAITS_OF_CONTEXT),
  'analytics-identify': () => fieldTable(IDENTIFY_LINES),
  'analytics-alias': () => fieldTable(ALIAS_LINES),
  'analytics-group': () => fieldTable(GROUP_LINES, 'data.'),
  'analytics-screen': () => fieldTable(SCREEN_LINES, 'data.'),
  'analytics-names': () =>
    table(
      ['event', 'also known as', 'becomes', 'custom_event_type'],
      [
        ...TRACK_NAMES.map((track) => [
          track.name,
          track.also ?? '',
          meaningOf(track),
          code(track.customEventType ?? ''),
        ]),
        ['every other name', '', meaningOf(OTHER_TRACK), code(OTHER_TRACK.customEventType ?? '')],
      ],
    ),
  'analytics-track': () => fieldTable(TRACK_LINES, 'data.'),
  'analytics-commerce': () => fieldTable(COMMERCE_LINES.slice(TRACK_LINES.length), 'data.'),
  'analytics-order': () => fieldTable(ORDER_LINES, 'data.'),
  'analytics-impression': () => fieldTable(IMPRESSION_LINES, 'data.'),
  'analytics-product': () => fieldTable(PRODUCT_LINES),
  'analytics-promotion': () => fieldTable(PROMOTION_LINES),
};
