import { describe, expect, it } from 'vitest';
import { findDestination } from '../../../src/events/index.ts';
import { columnMisfit } from '../../../src/pipelines/transformations/column-fit.ts';
import type { Column, ColumnType } from '../../../src/warehouse/index.ts';

const ALL: readonly ColumnType[] = [
  ...(['boolean', 'integer', 'decimal', 'double', 'text', 'date', 'time', 'timestamp', 'timestamp_tz'] as const),
  ...(['binary', 'uuid', 'json', 'list', 'struct', 'map', 'unknown'] as const),
];
const column = (type: ColumnType, item?: Column): Column => ({
  ...{ name: 'c', type, nativeType: type.toUpperCase() },
  ...(item && { item }),
});

function misfit(path: string, of: Column, eventType = 'commerce_event'): string | undefined {
  const destination = findDestination(path, eventType);
  if ('problem' in destination) throw new Error(destination.problem);
  return columnMisfit(of, destination);
}

/** Types that the field takes, without those whose cells say themselves what they are. */
const taken = (path: string) => ALL.filter((type) => misfit(path, column(type)) === undefined);

const SINGLE = [
  'boolean',
  'integer',
  'decimal',
  'double',
  'text',
  'date',
  'time',
  'timestamp',
  'timestamp_tz',
  'binary',
];

describe('a column feeds', () => {
  it.each([
    ['a String', 'device_info.brand', [...SINGLE, 'uuid', 'json', 'unknown']],
    ['a string, as its text', 'events.data.product_action.transaction_id', [...SINGLE, 'uuid', 'json', 'unknown']],
    ['one of some texts', 'events.data.product_action.action', ['text', 'json', 'unknown']],
    ['an Integer', 'events.data.event_num', ['integer', 'decimal', 'double', 'json', 'unknown']],
    [
      'milliseconds of something else',
      'events.data.device_current_state.time_since_start_ms',
      ['integer', 'decimal', 'double', 'json', 'unknown'],
    ],
    [
      'milliseconds since 1970',
      'events.data.timestamp_unixtime_ms',
      ['integer', 'decimal', 'double', 'date', 'timestamp', 'timestamp_tz', 'json', 'unknown'],
    ],
    [
      'milliseconds of a product',
      'events.data.product_action.products.added_to_cart_time_ms',
      ['integer', 'decimal', 'double', 'date', 'timestamp', 'timestamp_tz', 'json', 'list', 'unknown'],
    ],
    ['an MPID, as digits too', 'mpid', ['integer', 'decimal', 'double', 'text', 'json', 'unknown']],
    ['a Number', 'events.data.product_action.total_amount', ['integer', 'decimal', 'double', 'json', 'unknown']],
    ['a Boolean', 'events.data.is_main_thread', ['boolean', 'json', 'unknown']],
    ['a Uuid', 'mp_deviceid', ['text', 'uuid', 'json', 'unknown']],
    ['an IP address', 'ip', ['text', 'json', 'unknown']],
    ['a user attribute', 'user_attributes.colours', [...SINGLE, 'uuid', 'json', 'list', 'unknown']],
    ['a list', 'deleted_user_attributes', ['json', 'list', 'unknown']],
  ])('%s', (_what, path, types) => {
    expect(taken(path)).toEqual(ALL.filter((type) => types.includes(type)));
  });

  it('a list by its items, and nothing with lists in lists', () => {
    const texts = column('list', column('text'));
    expect(misfit('user_attributes.colours', texts)).toBeUndefined();
    expect(misfit('user_attributes.colours', column('list', column('struct')))).toContain('is of type STRUCT');
    expect(misfit('user_attributes.colours', column('list', texts))).toContain('is a list');
    expect(misfit('deleted_user_attributes', texts)).toBeUndefined();
  });

  it('the objects of a list, one an item', () => {
    const prices = 'events.data.product_action.products.price';
    expect(misfit(prices, column('list', column('decimal')))).toBeUndefined();
    expect(misfit(prices, column('list', column('text')))).toContain('is of type TEXT, but the field needs a number');
    expect(misfit(prices, column('list', column('list', column('decimal'))))).toContain('is a list');
  });

  it('else what is wrong, with the type as the warehouse writes it', () => {
    expect(misfit('events.data.is_main_thread', column('text'))).toBe(
      'is of type TEXT, but the field needs true or false',
    );
    expect(misfit('ip', column('list'))).toBe('is a list (LIST), but the field needs one value');
    expect(misfit('deleted_user_attributes', column('text'))).toBe('is of type TEXT, but the field needs a list');
  });
});
