// Batches of bulk requests, from the corners of the contract: each is kept or recorded as rejected, once, or is a duplicate.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { openEventsApi } from '../../support/apis/events-api.ts';

const corners = <Value>(...values: readonly Value[]) => fc.constantFrom(...values);
const batch = fc.record(
  {
    batch_id: corners('1', '0', '-1', '9223372036854775807', 'null'),
    origin_mpid: corners('1', '-5', 'null'),
    mpid: corners('5', '0', 'null'),
    partner_identities: corners('{}', '{"crm":"a"}', '{"crm":null}', 'null'),
    deleted_user_attributes: corners('["a"]', '[]', '["a","a"]', '["list"]', 'null'),
    user_attributes: corners('{"list":["a",null]}', '{"list":[]}', '{"a":null}', '{"a":1.50,"list":[1,true]}', 'null'),
    user_identities: corners(
      '{"yahoo":"y"}',
      '{"yahoo":" y ","email":"e@x"}',
      '{"yahoo":null}',
      '{"yahoo":5}',
      '{}',
      'null',
    ),
    mp_deviceid: corners('"00000000-0000-0000-0000-000000000000"', '"11111111-0000-0000-0000-000000000000"', 'null'),
    environment: corners('"development"', '"production"'),
    source_request_id: corners('""', '7', '"7"', '"a"', '"b"', 'null'),
    timestamp_unixtime_ms: corners('1', '-1', '1000000000000000', 'null'),
    ip: corners('"::1"', '"wrong"', 'null'),
  },
  { requiredKeys: [] },
);
const textOf = (fields: Readonly<Record<string, string>>) =>
  `{${Object.entries(fields).map(([name, value]) => `"${name}":${value}`)}}`;

test('every batch of a bulk request is kept once or recorded once, and sent again changes nothing that is named', async () => {
  await using api = await openEventsApi();
  const { store, clock } = api.access;
  const count = async (table: string) =>
    Number((await store.query<{ n: bigint }>(`SELECT count(*) AS n FROM ${table}`))[0]?.n);
  const taken = async (texts: readonly string[]) => {
    clock.advance(1000);
    const before = [
      await count('event_batches'),
      await count('rejected_batches'),
      await count('batch_requests'),
    ] as const;
    expect((await api.post('/v2/bulkevents', `[${texts}]`)).status).toBe(202);
    const [kept, recorded, named] = before;
    return {
      kept: (await count('event_batches')) - kept,
      recorded: (await count('rejected_batches')) - recorded,
      named: (await count('batch_requests')) - named,
    };
  };
  const requests = fc.array(batch.map(textOf), { minLength: 1, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(requests, async (texts) => {
      const isNamed = (text: string) => /"source_request_id":(?!""|null)/.test(text);
      const first = await taken(texts);
      // what has no name is no duplicate of anything
      expect(first.kept + first.recorded).toBeGreaterThanOrEqual(texts.filter((text) => !isNamed(text)).length);
      expect(first.kept + first.recorded).toBeLessThanOrEqual(texts.length);
      const again = await taken(texts);
      expect(again.named).toBe(0);
      expect(again.kept).toBeLessThanOrEqual(texts.filter((text) => !isNamed(text)).length);
      // a name that a later batch of the first request took makes a refused one before it a duplicate
      expect(again.recorded).toBeLessThanOrEqual(first.recorded);
      if (!texts.some(isNamed)) expect(again.recorded).toBe(first.recorded);
    }),
    { numRuns: 60 },
  );
}, 120_000);
