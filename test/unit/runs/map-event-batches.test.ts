import { describe, expect, it } from 'vitest';
import type { BatchToKeep } from '../../../src/events/index.ts';
import { formatMicros, microsOfMs, msOfMicros } from '../../../src/kernel/index.ts';
import { iteratorAxis } from '../../../src/mapping/range/iterator-axis.ts';
import type { FieldMapping } from '../../../src/pipelines/index.ts';
import type { Cell } from '../../../src/warehouse/index.ts';
import {
  always,
  CUSTOM,
  column,
  EMAIL,
  eventsPlan,
  fromColumn,
  mapEvents,
  PURCHASE,
  RUN_START_MS,
  readBatch,
  stepInto,
} from '../../support/batches/map-events.ts';

describe('batches', () => {
  const columns = [column('email'), column('city'), column('what'), column('own', 'integer')];
  const mappings = [
    ...CUSTOM.slice(0, 2),
    EMAIL,
    fromColumn('city', 'user_attributes.city'),
    fromColumn('what', 'events.data.event_name'),
  ];

  it('hold the rows of one user that follow each other and say the same about the user', async () => {
    const { batches, starts } = await mapEvents(eventsPlan(columns, mappings), [
      ['a@b.c', 'Rome', '1', null],
      ['a@b.c', 'Rome', '2', null],
      ['a@b.c', 'Oslo', '3', null],
      ['b@b.c', 'Oslo', '4', null],
      ['a@b.c', 'Oslo', '5', null],
      ['a@b.c', 'Oslo', '5', null],
    ]);
    const names = batches.map((batch) => readBatch(batch).events.map(({ data }) => data.event_name));
    expect(names).toEqual([['1', '2'], ['3'], ['4'], ['5', '5']]);
    expect(starts).toEqual([0, 2, 3, 4, 6]);
  });

  it('go on behind a row that is refused', async () => {
    const { starts, refused } = await mapEvents(eventsPlan(columns, mappings), [
      ['a@b.c', 'Rome', '1', null],
      ['a@b.c', 'Rome', null, null],
      [null, 'Rome', '1', null],
      ['a@b.c', 'Rome', '3', null],
    ]);
    expect(starts).toEqual([0, 2]);
    expect(refused.map(({ refusal }) => refusal)).toMatchObject([
      { rule: 'value_missing', field: 'what', value: null },
      { rule: 'identity_missing', field: '', value: null },
    ]);
  });

  it('are apart where MPID, own time or batch id differ', async () => {
    for (const path of ['mpid', 'timestamp_unixtime_ms', 'batch_id']) {
      const plan = eventsPlan(columns, [...mappings, fromColumn('own', path)]);
      const { starts, batches } = await mapEvents(plan, [
        ['a@b.c', 'Rome', '1', 7],
        ['a@b.c', 'Rome', '1', 7n],
        ['a@b.c', 'Rome', '1', 8],
      ]);
      expect(starts).toEqual([0, 2, 3]);
      if (path === 'batch_id') expect(batches.map(({ batchId }) => batchId)).toEqual([7n, 8n]);
    }
  });

  describe('of rows with times of their own', () => {
    const at = column('at', 'timestamp_tz');
    const axis = iteratorAxis({ field: 'at', type: 'timestamp_tz', zone: 'UTC' }, at);
    const timed = eventsPlan([...columns, at], mappings, { iterator: { column: at, axis } });
    const rows = (...times: readonly string[]) => times.map((time) => ['a@b.c', 'Rome', '1', null, time]);
    const timesOf = (batch: BatchToKeep) => [
      readBatch(batch).timestamp_unixtime_ms,
      msOfMicros(batch.person?.setAt ?? 0n),
      readBatch(batch).events.map(({ data }) => data.timestamp_unixtime_ms),
    ];
    const [early, late] = [Date.parse('2024-05-01T00:00:00Z'), Date.parse('2024-05-02T00:00:00Z')];
    const text = (ms: number) => formatMicros(microsOfMs(ms));

    it('have the time of the newest, wherever it stands', async () => {
      const { batches } = await mapEvents(timed, rows(text(early), text(late), text(early)));
      expect(batches.map(timesOf)).toEqual([[late, late, [early, late, early]]]);
    });

    it('keep a time that is still to come, at which nothing is said of the person', async () => {
      const coming = RUN_START_MS + 86_400_000;
      const { batches, ahead } = await mapEvents(timed, rows(text(early), text(coming), text(late)));
      expect(batches.map(timesOf)).toEqual([[coming, RUN_START_MS, [early, coming, late]]]);
      expect(ahead).toEqual([1]);
      const silent = {
        ...timed,
        mappings: mappings.filter(({ type, ...rest }) => !Object.values(rest).includes('city')),
      };
      expect((await mapEvents(silent, rows(text(coming)))).ahead).toEqual([]);
    });

    it('leave out rows whose iterator is no time', async () => {
      const { starts, refused } = await mapEvents(timed, rows(text(early), 'infinity', text(early)));
      expect(starts).toEqual([0, 2]);
      expect(refused.map(({ refusal }) => refusal)).toMatchObject([{ rule: 'time_out_of_range', field: 'at' }]);
    });
  });

  it('hold at most 100 events', async () => {
    const rows = Array.from({ length: 250 }, () => ['a@b.c', 'Rome', '1', null]);
    expect((await mapEvents(eventsPlan(columns, mappings), rows)).starts).toEqual([0, 100, 200, 250]);
  });

  it('stay within their size, and a row that alone is larger is refused', async () => {
    const plan = eventsPlan(columns, [...mappings, fromColumn('city', 'events.data.canonical_name')]);
    const small = { ...plan, limits: { ...plan.limits, batchBytes: 2600 } };
    const rows = ['é'.repeat(400), 'é'.repeat(400), 'é'.repeat(1500), 'x'].map((city) => ['a@b.c', city, '1', null]);
    const { batches, starts, refused } = await mapEvents(small, rows);
    expect(starts).toEqual([0, 1, 2, 3]);
    expect(refused.map(({ refusal }) => refusal.rule)).toEqual(['batch_too_large']);
    for (const { text } of batches) expect(Buffer.byteLength(text)).toBeLessThanOrEqual(2600);
  });
});

describe('lists of objects', () => {
  const texts = column('', 'list', column(''));
  const columns = [
    column('email'),
    { ...texts, name: 'ids' },
    { ...texts, name: 'names' },
    column('brand'),
    column('j', 'json'),
  ];
  const to = (field: string) => `events.data.product_action.products.${field}`;
  const mappings = [
    ...PURCHASE,
    EMAIL,
    fromColumn('ids', to('id')),
    fromColumn('names', to('name')),
    fromColumn('brand', to('brand')),
    fromColumn('j', to('custom_attributes.size')),
    always(1, to('quantity')),
  ];
  const products = async (...cells: readonly Cell[]) => {
    const { batches, refused } = await mapEvents(eventsPlan(columns, mappings), [['a@b.c', ...cells]]);
    const [batch] = batches;
    if (batch === undefined) return refused[0]?.refusal;
    return stepInto(readBatch(batch).events[0]?.data.product_action, 'products');
  };

  it('have one object an item, with single values in each', async () => {
    expect(await products(['1', '2'], ['x', null], 'b', '["S", 4]')).toEqual([
      { id: '1', name: 'x', brand: 'b', custom_attributes: { size: 'S' }, quantity: 1 },
      { id: '2', brand: 'b', custom_attributes: { size: '4' }, quantity: 1 },
    ]);
  });

  it('have one object where there are single values alone', async () => {
    expect(await products(null, null, 'b', '"S"')).toEqual([
      { brand: 'b', custom_attributes: { size: 'S' }, quantity: 1 },
    ]);
  });

  it('are left out where every column is NULL, and empty where the lists are', async () => {
    expect(await products(null, null, null, null)).toBeUndefined();
    expect(await products([], null, 'b', null)).toEqual([]);
  });

  it('fail the row where lists have different lengths', async () => {
    expect(await products(['1', '2'], ['x'], null, null)).toMatchObject({ rule: 'list_lengths', field: 'names' });
  });

  it('within lists: a cell spreads over the innermost list that its depth reaches', async () => {
    const nested = [
      column('email'),
      { ...texts, name: 'names' },
      column('ids', 'list', texts),
      { ...texts, name: 'flat' },
    ];
    const at = 'events.data.product_impressions';
    const plan = eventsPlan(nested, [
      always('commerce_event', 'events.event_type'),
      EMAIL,
      fromColumn('names', `${at}.product_impression_list`),
      fromColumn('ids', `${at}.products.id`),
      fromColumn('flat', `${at}.products.name`),
    ]);
    const { batches } = await mapEvents(plan, [
      [
        'a@b.c',
        ['x', 'y'],
        [
          ['1', '2'],
          ['3', '4'],
        ],
        ['m', 'n'],
      ],
    ]);
    expect(batches.map((batch) => readBatch(batch).events[0]?.data.product_impressions)).toEqual([
      [
        {
          product_impression_list: 'x',
          products: [
            { id: '1', name: 'm' },
            { id: '2', name: 'n' },
          ],
        },
        {
          product_impression_list: 'y',
          products: [
            { id: '3', name: 'm' },
            { id: '4', name: 'n' },
          ],
        },
      ],
    ]);
  });
});

describe('optional objects', () => {
  const columns = [column('email'), column('lat', 'double'), column('lon', 'double'), column('city')];
  const mappings = [
    ...CUSTOM,
    EMAIL,
    fromColumn('lat', 'events.data.location.latitude'),
    fromColumn('lon', 'events.data.location.longitude'),
    always('gps', 'events.data.location.location_source'),
    fromColumn('city', 'events.data.location.city_name'),
  ];
  const location = async (...cells: readonly Cell[]) => {
    const { batches, refused } = await mapEvents(eventsPlan(columns, mappings), [['a@b.c', ...cells]]);
    return batches.map((batch) => readBatch(batch).events[0]?.data.location)[0] ?? refused[0]?.refusal;
  };

  it('are left out where all their columns are NULL, whatever is static in them', async () => {
    expect(await location(null, null, null)).toBeUndefined();
  });

  it('fail the row where a required field is NULL and another is not', async () => {
    expect(await location(1.5, null, null)).toMatchObject({ rule: 'value_missing', field: 'lon' });
    expect(await location(null, null, 'Rome')).toMatchObject({ rule: 'value_missing', field: 'lat' });
    expect(await location(1.5, 0, null)).toEqual({ latitude: 1.5, longitude: 0, location_source: 'gps' });
  });
});

describe('kinds of events that come with the row', () => {
  const columns = [column('email'), column('kind'), column('name'), column('url')];
  const mappings = [
    EMAIL,
    fromColumn('kind', 'events.event_type'),
    fromColumn('name', 'events.data.screen_name'),
    fromColumn('url', 'events.data.url'),
    always(200, 'events.data.response_code'),
  ];
  const event = async (...cells: readonly Cell[]) => {
    const { batches, refused } = await mapEvents(eventsPlan(columns, mappings), [['a@b.c', ...cells]]);
    return batches.map((batch) => readBatch(batch).events[0])[0] ?? refused[0]?.refusal;
  };

  it('take the fields they have', async () => {
    expect(await event('screen_view', 'Home', null)).toMatchObject({ data: { screen_name: 'Home' } });
    expect(await event('network_performance', null, '/x')).toMatchObject({ data: { url: '/x', response_code: 200 } });
    expect(await event('session_start', null, null)).toEqual({
      event_type: 'session_start',
      data: { timestamp_unixtime_ms: RUN_START_MS },
    });
  });

  it('fail a row that has a value where they have no field, or nothing where they need one', async () => {
    expect(await event('session_start', 'Home', null)).toMatchObject({ rule: 'value_nowhere', field: 'name' });
    expect(await event('screen_view', null, null)).toMatchObject({ rule: 'value_missing', field: 'name' });
    expect(await event('custom_event', null, null)).toMatchObject({ rule: 'event_type', field: 'kind' });
    expect(await event('Session_start', null, null)).toMatchObject({ rule: 'event_type', value: 'Session_start' });
    expect(await event(null, null, null)).toMatchObject({ rule: 'event_type', value: null });
  });
});

describe('a transformation that makes no events of a model', () => {
  const refused = (mappings: readonly FieldMapping[], columns = [column('email')]) =>
    expect(mapEvents(eventsPlan(columns, mappings), [])).rejects;

  it.each<[string, readonly FieldMapping[]]>([
    ['has no column "gone"', [...CUSTOM, fromColumn('gone', 'user_identities.email')]],
    ['No mapping has the destination events.event_type', [EMAIL]],
    ['events.data.event_name', [...CUSTOM.slice(0, 2), EMAIL]],
    ['attribution_info.publisher', [...CUSTOM, EMAIL, always('x', 'attribution_info.campaign')]],
    ['over 256 characters', [...CUSTOM, EMAIL, always('x', `user_attributes.${'x'.repeat(257)}`)]],
    ['another environment', [...CUSTOM, EMAIL, always('development', 'environment')]],
    [
      '101 names of events.data.custom_attributes',
      [...CUSTOM, ...Array.from({ length: 101 }, (_, i) => always('x', `events.data.custom_attributes.a${i}`))],
    ],
  ])('says what is wrong: %s', async (message, mappings) => {
    await refused(mappings).toMatchObject({
      code: 'MODEL_INVALID',
      message: expect.stringContaining(message) as string,
    });
  });
});
