import { describe, expect, test } from 'vitest';
import type { Warehouse } from './fixture.ts';
import { sentence } from './fleet.ts';
import { NEVER, openOn, readAll, requestOf } from './reading.ts';
import {
  applyRequest,
  factsOf,
  openWriting,
  type PersonRow,
  peopleOf,
  peopleTable,
  requestWithLoss,
  STAGING,
  staged,
  targetOf,
  writeBackOf,
  writeMany,
  writing,
} from './writing-back.ts';

/** The rows of CI; soak has 100,000. */
const MANY = 2000;

sentence('8. write-back', (fixture) => {
  const { writeBack } = fixture.connector.capabilities;

  test('is waived exactly where the connector says that it cannot', () => {
    expect(fixture.waivers['write-back'] === undefined).toBe(writeBack);
    expect(fixture.writeBack !== undefined).toBe(writeBack);
  });

  // waived: the reason stands in the name of the part
  describe.skipIf(!writeBack)(`by key${writeBack ? '' : ` (waived: ${fixture.waivers['write-back']})`}`, () => {
    const people: readonly PersonRow[] = [
      ['ann', 'a@x.org', null, 'one', 1],
      ['bob', 'b@x.org', 50n, 'two', 2],
      ['cyd', 'c@x.org', 60n, 'three', 3],
      ['dan', null, 70n, null, 4],
      ['eve', 'e@x.org', null, 'five', 5],
    ];
    const table = fixture.writeBack === undefined ? [] : peopleTable(fixture, people);
    const mpidsOf = async (warehouse: Warehouse) => (await peopleOf(fixture, warehouse)).map(([, , mpid]) => mpid);

    test('writes nothing where the load has lost a row', () =>
      writing(fixture, table, async (session, warehouse) => {
        const target = await targetOf(fixture, session);
        const request = requestWithLoss(target, [staged('ann', 1n), staged('eve', 2n)]);
        await expect(writeBackOf(session).apply(request, NEVER)).rejects.toMatchObject({
          code: 'WAREHOUSE_UNKNOWN',
          message: expect.stringContaining('The warehouse loaded 1 of 2 keys'),
        });
        expect(await mpidsOf(warehouse)).toEqual([null, 50n, 60n, 70n, null]);
      }));

    test('a session that was opened to read cannot', async () => {
      await using warehouse = await fixture.start();
      await using session = await openOn(fixture, warehouse);
      expect(session.writeBack).toBeUndefined();
    });

    test('writes where the MPID is null or what was read, counts and lists the rest, and touches one column', () =>
      writing(fixture, table, async (session, warehouse) => {
        const target = await targetOf(fixture, session);
        const rows = [
          staged('ann', 1n),
          staged('bob', 2n),
          staged('bob', 2n, 50n),
          // had 61 when it was read
          staged('cyd', 3n),
          staged('cyd', 3n, 61n),
          // is right already
          staged('dan', 70n),
          staged('zoe', 9n),
        ];
        const result = await writeBackOf(session).apply(applyRequest(target, rows), NEVER);
        expect(result).toMatchObject({ updated: 2, conflicts: 2 });
        expect(result.listed).toHaveLength(2);
        expect(result.listed).toContainEqual({ key: ['cyd'], mpid: 3n, found: 60n });
        expect(result.listed).toContainEqual({ key: ['zoe'], mpid: 9n, found: 'gone' });
        const after = [1n, 2n, 60n, 70n, null];
        expect(await peopleOf(fixture, warehouse)).toEqual(
          people.map(([customer, email, , note, n], index) => [customer, email, after[index], note, n]),
        );
      }));

    test('changes nothing when it runs again', () =>
      writing(fixture, table, async (session, warehouse) => {
        const target = await targetOf(fixture, session);
        const rows = [staged('ann', 1n), staged('bob', 2n), staged('bob', 2n, 50n)];
        const { apply } = writeBackOf(session);
        expect(await apply(applyRequest(target, rows), NEVER)).toMatchObject({ updated: 2, conflicts: 0 });
        expect(await apply(applyRequest(target, rows), NEVER)).toEqual({ updated: 0, conflicts: 0, listed: [] });
        expect(await mpidsOf(warehouse)).toEqual([1n, 2n, 60n, 70n, null]);
      }));

    test('writes all rows of one key, those without an MPID and those with the ones that were read', () => {
      const twice: readonly PersonRow[] = [
        ['ann', 'a@x.org', null, 'one', 1],
        ['ann', 'other', null, 'two', 2],
        ['ann', null, 50n, 'three', 3],
        ['ann', null, 60n, 'four', 4],
        ['ann', null, 70n, 'five', 5],
      ];
      return writing(fixture, peopleTable(fixture, twice), async (session, warehouse) => {
        const target = await targetOf(fixture, session);
        const rows = [staged('ann', 1n), staged('ann', 1n, 50n), staged('ann', 1n, 60n)];
        const result = await writeBackOf(session).apply(applyRequest(target, rows), NEVER);
        expect(result).toEqual({
          updated: 4,
          conflicts: 1,
          listed: [{ key: ['ann'], mpid: 1n, found: 70n }],
        });
        expect(await mpidsOf(warehouse)).toEqual([1n, 1n, 1n, 1n, 70n]);
      });
    });

    test('compares several columns, with NULL equal to NULL', () => {
      const partly: readonly PersonRow[] = [
        ['ann', 'a@x.org', null, null, 1],
        ['ann', null, null, null, 2],
        [null, 'a@x.org', null, null, 3],
        [null, 'b@x.org', null, null, 4],
        [null, null, null, null, 5],
      ];
      return writing(fixture, peopleTable(fixture, partly), async (session, warehouse) => {
        const target = await targetOf(fixture, session, ['customer_id', 'email']);
        const rows = [
          staged(['ann', 'a@x.org'], 1n),
          staged(['ann', null], 2n),
          staged([null, 'a@x.org'], 3n),
          staged([null, 'zoe'], 4n),
        ];
        const result = await writeBackOf(session).apply(applyRequest(target, rows), NEVER);
        expect(result).toEqual({
          updated: 3,
          conflicts: 1,
          listed: [{ key: [null, 'zoe'], mpid: 4n, found: 'gone' }],
        });
        expect(await mpidsOf(warehouse)).toEqual([1n, 2n, 3n, null, null]);
      });
    });

    test('takes keys as they are: quotes, spaces, signs of all planes, letters of both cases, nothing', () => {
      const odd = ["O'Brien", ' spaced ', 'UPPER', 'upper', 'ß€😀', '', '\\n', '{"a":"b"}', ',;|', 'NULL', '1'];
      const rows = odd.map((key, n): PersonRow => [key, null, null, key.length > 5 ? 'x' : null, n]);
      return writing(fixture, peopleTable(fixture, rows), async (session, warehouse) => {
        const target = await targetOf(fixture, session);
        const request = rows.map(([key], n) => staged(key, BigInt(n + 1)));
        const result = await writeBackOf(session).apply(applyRequest(target, request), NEVER);
        expect(result).toEqual({ updated: rows.length, conflicts: 0, listed: [] });
        expect(await mpidsOf(warehouse)).toEqual(rows.map((_, n) => BigInt(n + 1)));
      });
    });

    // not run: the server has no such type
    test.runIf(fixture.writeBack?.folding !== undefined)(
      'compares texts by their bytes, also where their column takes both cases for equal',
      () => {
        const { type = '', needs = [] } = factsOf(fixture).folding ?? {};
        const cases: readonly PersonRow[] = [
          ['Ann', null, null, null, 1],
          ['ann', null, null, null, 2],
          ['ANN', null, 50n, null, 3],
        ];
        const [create = '', ...rest] = peopleTable(fixture, cases);
        const folded = create.replace(`customer_id ${factsOf(fixture).types.text}`, `customer_id ${type}`);
        return writing(fixture, [...needs, folded, ...rest], async (session, warehouse) => {
          const target = await targetOf(fixture, session);
          const rows = [staged('Ann', 1n), staged('ann', 2n), staged('aNN', 9n)];
          const result = await writeBackOf(session).apply(applyRequest(target, rows), NEVER);
          expect(result).toEqual({
            ...{ updated: 2, conflicts: 1 },
            listed: [{ key: ['aNN'], mpid: 9n, found: 'gone' }],
          });
          expect(await mpidsOf(warehouse)).toEqual([1n, 2n, 50n]);
        });
      },
    );

    test('takes a key of whole numbers and MPIDs at the end of 64 bits', () =>
      writing(fixture, table, async (session, warehouse) => {
        const target = await targetOf(fixture, session, ['n']);
        const most = 2n ** 63n - 1n;
        const rows = [staged(1n, most), staged(2n, most - 1n), staged(2n, most - 1n, 50n)];
        expect(await writeBackOf(session).apply(applyRequest(target, rows), NEVER)).toMatchObject({ updated: 2 });
        expect(await mpidsOf(warehouse)).toEqual([most, most - 1n, 60n, 70n, null]);
      }));

    test('touches nothing for no row', () =>
      writing(fixture, table, async (session) => {
        const beforeUpdate = () => Promise.reject(new Error('is not called'));
        const request = applyRequest(await targetOf(fixture, session), [], { beforeUpdate });
        expect(await writeBackOf(session).apply(request, NEVER)).toEqual({ updated: 0, conflicts: 0, listed: [] });
      }));

    const many = fixture.writeBack?.many ?? MANY;
    test(`is right for ${many} rows, and changes nothing when they come again`, () => writeMany(fixture, many));

    test('counts every conflict and lists some', () => {
      const taken = Array.from({ length: 30 }, (_, n): PersonRow => [`c${n}`, null, 5n, null, n]);
      return writing(fixture, peopleTable(fixture, taken), async (session) => {
        const target = await targetOf(fixture, session);
        const rows = taken.map(([key], n) => staged(key, BigInt(1000 + n)));
        const result = await writeBackOf(session).apply(applyRequest(target, rows, { mostListed: 4 }), NEVER);
        expect(result).toMatchObject({ updated: 0, conflicts: 30 });
        expect(result.listed).toHaveLength(4);
      });
    });

    test('asks once more before the update, and leaves out whom it is told to', () =>
      writing(fixture, table, async (session, warehouse) => {
        let asked = 0;
        const beforeUpdate = async () => {
          asked += 1;
          return [1n, 123_456_789n];
        };
        const request = applyRequest(await targetOf(fixture, session), [staged('ann', 1n), staged('eve', 5n)], {
          beforeUpdate,
        });
        expect(await writeBackOf(session).apply(request, NEVER)).toEqual({ updated: 1, conflicts: 0, listed: [] });
        expect(asked).toBe(1);
        expect(await mpidsOf(warehouse)).toEqual([null, 50n, 60n, 70n, 5n]);
      }));

    test('writes nothing when the answer is a failure, and throws that failure', () =>
      writing(fixture, table, async (session, warehouse) => {
        const { AppError } = await import('../../src/kernel/index.ts');
        const beforeUpdate = () => Promise.reject(new AppError('LEASE_LOST', 'Another worker has it.'));
        const target = await targetOf(fixture, session);
        const { apply } = writeBackOf(session);
        const failing = apply(applyRequest(target, [staged('ann', 1n)], { beforeUpdate }), NEVER);
        await expect(failing).rejects.toMatchObject({ code: 'LEASE_LOST' });
        expect(await mpidsOf(warehouse)).toEqual(people.map(([, , mpid]) => mpid));
        // the session goes on, under the same name too
        expect(await apply(applyRequest(target, [staged('ann', 1n)]), NEVER)).toMatchObject({ updated: 1 });
      }));

    test('writes nothing after an abort between load and update', () =>
      writing(fixture, table, async (session, warehouse) => {
        const stop = new AbortController();
        const beforeUpdate = async () => {
          stop.abort();
          return [];
        };
        const target = await targetOf(fixture, session);
        const request = applyRequest(target, [staged('ann', 1n)], { beforeUpdate });
        await expect(writeBackOf(session).apply(request, stop.signal)).rejects.toMatchObject({ code: 'CANCELLED' });
        await expect(writeBackOf(session).apply(request, stop.signal)).rejects.toMatchObject({ code: 'CANCELLED' });
        expect(await mpidsOf(warehouse)).toEqual(people.map(([, , mpid]) => mpid));
      }));

    test('writes nothing and leaves nothing behind where the update fails', () => {
      const narrow = peopleTable(fixture, [['ann', null, null, null, 1]], factsOf(fixture).types.narrow);
      return writing(fixture, narrow, async (session, warehouse) => {
        const request = applyRequest(await targetOf(fixture, session), [staged('ann', 2n ** 62n)]);
        await expect(writeBackOf(session).apply(request, NEVER)).rejects.toMatchObject({ name: 'AppError' });
        expect(await mpidsOf(warehouse)).toEqual([null]);
      });
    });

    test('sets to NULL by MPID, whatever else the row holds, and nothing else', () =>
      writing(fixture, table, async (session, warehouse) => {
        const target = await targetOf(fixture, session);
        const { clear } = writeBackOf(session);
        expect(await clear(target, [], NEVER)).toBe(0);
        expect(await clear(target, [50n, 70n, 123_456_789n], NEVER)).toBe(2);
        expect(await clear(target, [50n, 70n], NEVER)).toBe(0);
        expect(await peopleOf(fixture, warehouse)).toEqual(
          people.map(([customer, email, mpid, note, n]) => [customer, email, mpid === 60n ? mpid : null, note, n]),
        );
      }));

    test('finds staging that a killed run left behind by its name, and drops it', async () => {
      await using warehouse = await fixture.start();
      const { leaveBehind, leftovers } = factsOf(fixture);
      await using session = await openWriting(fixture, warehouse);
      const { listStaging, dropStaging } = writeBackOf(session);
      expect(await listStaging('penstock_stg_', NEVER)).toEqual([]);
      if (leaveBehind === undefined) return;
      await warehouse.seed([leaveBehind(STAGING), leaveBehind('penstock_stg_other_1_1'), leaveBehind('mine')]);
      expect(await listStaging('penstock_stg_conformance_', NEVER)).toEqual([STAGING]);
      await dropStaging([STAGING, 'penstock_stg_conformance_gone'], NEVER);
      expect(await listStaging('penstock_stg_', NEVER)).toEqual(['penstock_stg_other_1_1']);
      expect(await leftovers(warehouse)).toEqual(['penstock_stg_other_1_1']);
    });

    test('reads go on beside it', () =>
      writing(fixture, table, async (session) => {
        const target = await targetOf(fixture, session);
        const { chunks } = await session.read(requestOf(`SELECT n FROM ${fixture.sql.series(50_000)}`), NEVER);
        const iterator = chunks[Symbol.asyncIterator]();
        await iterator.next();
        await writeBackOf(session).apply(applyRequest(target, [staged('ann', 1n)]), NEVER);
        let rows = 1000;
        for (let next = await iterator.next(); !next.done; next = await iterator.next()) rows += next.value.length;
        expect(rows).toBe(50_000);
        expect((await readAll(session, requestOf(`SELECT n FROM ${fixture.sql.series(3)}`))).rows).toHaveLength(3);
      }));
  });
});
