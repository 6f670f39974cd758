import { describe, expect, it } from 'vitest';
import type { Json } from '../../../src/kernel/index.ts';
import { iteratorAxis } from '../../../src/mapping/range/iterator-axis.ts';
import { createZone } from '../../../src/mapping/range/wall-clock.ts';
import type { FieldMapping } from '../../../src/pipelines/index.ts';
import type { Cell, Column, ColumnType } from '../../../src/warehouse/index.ts';
import {
  always,
  CUSTOM,
  column,
  EMAIL,
  eventsPlan,
  fromColumn,
  mapEvents,
  PURCHASE,
  type ReadBatch,
  RUN_START,
  RUN_START_MS,
  readBatch,
  stepInto,
} from '../../support/batches/map-events.ts';

interface Given {
  readonly columns: readonly Column[];
  readonly mappings: readonly FieldMapping[];
  readonly rows: readonly (readonly Cell[])[];
  readonly rest?: Parameters<typeof eventsPlan>[2];
}

async function batchesOf({ columns, mappings, rows, rest }: Given): Promise<readonly ReadBatch[]> {
  const { batches, refused } = await mapEvents(eventsPlan(columns, mappings, rest), rows);
  expect(refused.map(({ refusal }) => refusal)).toEqual([]);
  return batches.map(readBatch);
}

/** What one cell becomes at a destination, or the rule it breaks. */
async function valueAt(path: string, columnOf: Column | ColumnType, cell: Cell): Promise<Json | undefined> {
  const value = typeof columnOf === 'string' ? column('a', columnOf) : { ...columnOf, name: 'a' };
  const mappings = [...(path.includes('product') ? PURCHASE : CUSTOM), EMAIL, fromColumn('a', path)];
  const taken = mappings.filter((one, index) => {
    return mappings.findLastIndex((other) => destinationOf(other) === destinationOf(one)) === index;
  });
  const { batches, refused } = await mapEvents(eventsPlan([column('email'), value], taken), [['a@b.c', cell]]);
  const [batch] = batches;
  if (batch === undefined) return refused[0]?.refusal.rule;
  return path.split('.').reduce<Json | undefined>((at, step) => stepInto(at, step), readBatch(batch) as Json);
}

const destinationOf = (mapping: FieldMapping) => (mapping.type === 'ignore' ? '' : mapping.destination);

describe('the batch of a row', () => {
  it('says who, what, when, where from and by which plan', async () => {
    const [batch] = await batchesOf({
      columns: [column('email'), column('age', 'integer')],
      mappings: [...CUSTOM, EMAIL, fromColumn('age', 'user_attributes.age')],
      rows: [['A@b.c', 7]],
      rest: { environment: 'development', dataPlan: { id: 'shop', version: '3' } },
    });
    expect(batch).toEqual({
      user_identities: { email: 'A@b.c' },
      user_attributes: { age: 7 },
      environment: 'development',
      source_info: { channel: 'server_to_server' },
      context: { data_plan: { plan_id: 'shop', plan_version: 3 } },
      timestamp_unixtime_ms: RUN_START_MS,
      events: [
        {
          event_type: 'custom_event',
          data: { custom_event_type: 'other', event_name: 'seen', timestamp_unixtime_ms: RUN_START_MS },
        },
      ],
    });
  });

  it('keeps what the mapping says about itself', async () => {
    const [batch] = await batchesOf({
      columns: [column('email')],
      mappings: [
        ...CUSTOM,
        EMAIL,
        always('production', 'environment'),
        always('partner', 'source_info.channel'),
        always('own', 'context.data_plan.plan_id'),
        always(5, 'timestamp_unixtime_ms'),
        always(6, 'events.data.timestamp_unixtime_ms'),
      ],
      rows: [['a@b.c']],
      rest: { dataPlan: { id: 'shop' } },
    });
    expect(batch).toMatchObject({
      environment: 'production',
      source_info: { channel: 'partner' },
      context: { data_plan: { plan_id: 'own' } },
      timestamp_unixtime_ms: 5,
      events: [{ data: { timestamp_unixtime_ms: 6 } }],
    });
  });

  it('keeps the all-zero id of a device that is not tracked, and takes it for nobody’s', async () => {
    const zero = '00000000-0000-0000-0000-000000000000';
    const mappings = [...CUSTOM, EMAIL, fromColumn('device', 'device_info.ios_advertising_id')];
    const { batches } = await mapEvents(eventsPlan([column('email'), column('device')], mappings), [['a@x', zero]]);
    const [batch] = batches;
    expect(batch?.text).toContain(zero);
    expect(batch?.person).toMatchObject({ identities: [{ type: 'email', value: 'a@x' }] });
  });

  it('hands on the person: identities, device ids, MPID, attributes, removals, consent', async () => {
    const texts = ['id', 'email', 'device', 'mpid', 'plan'].map((name) => column(name));
    const columns = [...texts, column('gone', 'list', column(''))];
    const { batches } = await mapEvents(
      eventsPlan(columns, [
        ...CUSTOM,
        EMAIL,
        fromColumn('id', 'user_identities.customer_id'),
        fromColumn('device', 'device_info.ios_idfv'),
        fromColumn('mpid', 'mpid'),
        fromColumn('plan', 'user_attributes.plan'),
        fromColumn('plan', 'user_attributes.other'),
        fromColumn('gone', 'deleted_user_attributes'),
        always(true, 'consent_state.gdpr.mail.consented'),
        always(1000, 'consent_state.gdpr.mail.timestamp_unixtime_ms'),
      ]),
      [[' 007 ', null, 'd0e1f2a3-0000-4000-8000-000000000000', '12', 'gold', ['other']]],
    );
    const [batch] = batches;
    expect(batch?.person).toEqual({
      identities: [
        { type: 'customer_id', value: '007' },
        { type: 'ios_idfv', value: 'd0e1f2a3-0000-4000-8000-000000000000' },
      ],
      mpid: 12n,
      attributes: { names: ['plan', 'other'], texts: ['"gold"', null] },
      setAt: RUN_START,
      consent: '{"gdpr":{"mail":{"consented":true,"timestamp_unixtime_ms":1000}}}',
    });
    expect(batch?.text).not.toContain('mpid');
    expect(batch && readBatch(batch)).toMatchObject({
      user_identities: { customer_id: '007' },
      user_attributes: { plan: 'gold', other: 'gold' },
      deleted_user_attributes: ['other'],
      consent_state: { gdpr: { mail: { consented: true, timestamp_unixtime_ms: 1000 } } },
    });
  });

  it('takes the time of an event from the mapping, else from the iterator, else from the start of the run', async () => {
    const columns = [column('email'), column('own', 'timestamp'), column('moved', 'timestamp')];
    const zone = createZone('Europe/Berlin');
    const [, , moved] = columns as [Column, Column, Column];
    const axis = iteratorAxis({ field: 'moved', type: 'timestamp', zone: zone.name }, moved);
    const batches = await batchesOf({
      columns,
      mappings: [...CUSTOM, EMAIL, fromColumn('own', 'events.data.timestamp_unixtime_ms')],
      rows: [
        ['a@b.c', '2024-01-01T01:00:00.000000', '2024-01-02T01:00:00.999999'],
        ['a@b.c', null, '2024-01-03T01:00:00.999999'],
        ['b@b.c', null, null],
      ],
      rest: { zone, iterator: { column: moved, axis } },
    });
    expect(batches.map(({ events }) => events.map(({ data }) => data.timestamp_unixtime_ms))).toEqual([
      [Date.parse('2024-01-01T00:00:00Z'), Date.parse('2024-01-03T00:00:00.999Z')],
      [RUN_START_MS],
    ]);
    // the batch's own is that of its newest row
    expect(batches.map((batch) => batch.timestamp_unixtime_ms)).toEqual([
      Date.parse('2024-01-03T00:00:00.999Z'),
      RUN_START_MS,
    ]);
  });

  it('reads the iterator as the iterator does, where a time is asked for', async () => {
    const seen = column('seen', 'integer');
    const axis = iteratorAxis({ field: 'seen', type: 'timestamp_unixtime_s', zone: 'UTC' }, seen);
    const [batch] = await batchesOf({
      columns: [column('email'), seen],
      mappings: [
        ...CUSTOM,
        EMAIL,
        fromColumn('seen', 'events.data.timestamp_unixtime_ms'),
        fromColumn('seen', 'events.data.event_num'),
      ],
      rows: [['a@b.c', 1_700_000_000]],
      rest: { iterator: { column: seen, axis } },
    });
    expect(batch?.events[0]?.data).toMatchObject({
      timestamp_unixtime_ms: 1_700_000_000_000,
      event_num: 1_700_000_000,
    });
  });

  it('removes an attribute that is null for every row', async () => {
    const mappings = [...CUSTOM, EMAIL, always(null, 'user_attributes.a')];
    const { batches } = await mapEvents(eventsPlan([column('email')], mappings), [['a@b.c']]);
    expect(batches[0]?.person?.attributes).toEqual({ names: ['a'], texts: [null] });
  });
});

describe('a cell in a field', () => {
  it.each<[string, ColumnType, Cell, Json | undefined]>([
    ['events.data.custom_attributes.a', 'text', 'q"\\\n😀', 'q"\\\n😀'],
    ['events.data.custom_attributes.a', 'integer', 9223372036854775807n, 9223372036854775807n],
    ['events.data.custom_attributes.a', 'boolean', false, false],
    ['events.data.custom_attributes.a', 'date', '2024-02-29', '2024-02-29'],
    ['events.data.custom_attributes.a', 'timestamp_tz', '2024-02-29T00:00:00.000001Z', '2024-02-29T00:00:00.000001Z'],
    ['events.data.custom_attributes.a', 'binary', new Uint8Array([0, 255]), 'AP8='],
    ['events.data.custom_attributes.a', 'double', Number.NaN, 'value_not_finite'],
    ['events.data.custom_attributes.a', 'timestamp', 'infinity', 'value_not_finite'],
    ['events.data.custom_attributes.a', 'text', 'x'.repeat(4097), 'value_too_long'],
    ['events.data.custom_attributes.a', 'text', '\u0000', 'value_text'],
    ['events.data.custom_attributes.a', 'json', '{"b":1}', 'value_nested'],
    ['events.data.custom_attributes.a', 'json', '[1]', 'value_nested'],
    ['events.data.custom_attributes.a', 'json', 'null', undefined],
    ['events.data.custom_attributes.a', 'json', '12345678901234567890', 12345678901234567890n],
    ['events.data.event_name', 'integer', 9007199254740993n, '9007199254740993'],
    ['events.data.event_name', 'decimal', '1.50', '1.50'],
    ['events.data.event_name', 'text', 'x'.repeat(257), 'value_too_long'],
    ['events.data.event_num', 'decimal', '12.000', 12],
    ['events.data.event_num', 'decimal', '12.5', 'value_type'],
    ['events.data.event_num', 'double', 3, 3],
    ['events.data.event_num', 'double', 3.5, 'value_type'],
    ['events.data.event_num', 'integer', 9223372036854775808n, 'value_type'],
    ['events.data.event_num', 'json', '"007"', 7],
    ['events.data.timestamp_unixtime_ms', 'timestamp_tz', '1969-12-31T23:59:59.999999Z', -1],
    ['events.data.timestamp_unixtime_ms', 'date', '1970-01-02', 86_400_000],
    ['events.data.timestamp_unixtime_ms', 'timestamp', 'infinity', 'time_out_of_range'],
    ['events.data.timestamp_unixtime_ms', 'date', '0001-01-01', -62_135_596_800_000],
    ['events.data.session_start_unixtime_ms', 'integer', 1717200000000, 1717200000000],
    ['events.data.lifetime_value_change', 'decimal', '0.10', 0.1],
    ['events.data.lifetime_value_change', 'json', '"many"', 'value_type'],
    ['events.data.is_main_thread', 'boolean', true, true],
    ['events.data.is_main_thread', 'json', '1', 'value_type'],
    [
      'events.data.session_uuid',
      'uuid',
      'D0E1F2A3-0000-4000-8000-000000000000',
      'D0E1F2A3-0000-4000-8000-000000000000',
    ],
    ['events.data.session_uuid', 'text', 'none', 'value_type'],
    ['ip', 'text', '::1', '::1'],
    ['ip', 'text', '300.1.1.1', 'value_type'],
    ['events.data.custom_event_type', 'text', 'search', 'search'],
    ['events.data.custom_event_type', 'text', 'Search', 'value_not_allowed'],
    ['events.data.custom_event_type', 'text', null, 'value_missing'],
    ['user_identities.other', 'text', '  ', 'identity_invalid'],
    ['user_identities.other', 'json', '"x"', 'x'],
    ['user_identities.other', 'json', '12345678901234567890', '12345678901234567890'],
    ['user_identities.other', 'json', 'null', undefined],
    ['user_identities.other', 'json', '["x"]', 'identity_type'],
    ['mpid', 'json', '"x"', 'mpid_invalid'],
    ['device_info.ios_idfv', 'text', 'none', 'value_type'],
    ['mpid', 'text', 'none', 'mpid_invalid'],
    ['environment', 'text', 'development', 'value_not_allowed'],
  ])('%s of %s %s is %s', async (...[path, type, cell, expected]) => {
    expect(await valueAt(path, type, cell)).toEqual(expected);
  });

  it('is a list where the field takes one', async () => {
    const list = column('', 'list', column('', 'integer'));
    expect(await valueAt('user_attributes.a', list, [1, null, 2n])).toEqual([1, null, 2]);
    expect(await valueAt('user_attributes.a', 'json', '["x", 2]')).toEqual(['x', 2]);
    expect(await valueAt('user_attributes.a', 'text', 'x')).toBe('x');
    expect(await valueAt('api_keys', 'json', '"x"')).toEqual(['x']);
    expect(await valueAt('deleted_user_attributes', list, [1, null])).toBe('value_missing');
    expect(await valueAt('user_attributes.a', 'json', '[[1]]')).toBe('value_nested');
  });
});

it('refuses an event kind that the store cannot hold in words that it can', async () => {
  const mappings = [EMAIL, fromColumn('kind', 'events.event_type')];
  const { refused } = await mapEvents(eventsPlan([column('email'), column('kind')], mappings), [['a@b.c', 'k\u0000']]);
  expect(refused[0]?.refusal).toMatchObject({ rule: 'event_type', value: 'k\u2400' });
  expect(refused[0]?.refusal.reason).toContain('The event_type "k\u2400" is not one of');
});
