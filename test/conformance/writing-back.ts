// Steps of sentence 8: a customer's table of people, and staged rows for it.
import { expect } from 'vitest';
import type {
  Column,
  KeyCell,
  Session,
  StagedRow,
  WriteBack,
  WriteBackRequest,
  WriteBackTarget,
} from '../../src/warehouse/index.ts';
import { until } from '../support/clocks/until.ts';
import type { Fixture, Warehouse, WriteBackFixture } from './fixture.ts';
import { NEVER, openOn, readAll, requestOf, statement } from './reading.ts';

export const STAGING = 'penstock_stg_conformance_7_3';

export function factsOf({ writeBack, connector }: Fixture): WriteBackFixture {
  if (writeBack === undefined) throw new Error(`The fixture of ${connector.product} says nothing of writing back.`);
  return writeBack;
}

export async function openWriting({ connector }: Fixture, { config, environment }: Warehouse): Promise<Session> {
  return await connector.open(config, { ...environment, writes: true }, NEVER);
}

export function writeBackOf({ writeBack }: Session): WriteBack {
  if (writeBack === undefined) throw new Error('The session cannot write back.');
  return writeBack;
}

/** Columns of a person: two keys, the MPID, and two that nobody may touch. */
export type PersonRow = readonly [
  customer: string | null,
  email: string | null,
  mpid: bigint | null,
  note: string | null,
  n: number,
];

/** Statements for a table of people; `mpidType`: where it shall not be the usual one. */
export function peopleTable(
  fixture: Fixture,
  rows: readonly PersonRow[],
  mpidType = factsOf(fixture).types.mpid,
): readonly string[] {
  const { types, table, literal } = factsOf(fixture);
  const written = (value: PersonRow[number]) => (typeof value === 'string' ? literal(value) : String(value ?? 'NULL'));
  const columns = `customer_id ${types.text}, email ${types.text}, MPID ${mpidType}, note ${types.text}, n ${types.integer}`;
  const values = rows.map((row) => `(${row.map(written).join(', ')})`);
  const create = `CREATE TABLE ${table('people')} (${columns})`;
  return values.length === 0 ? [create] : [create, `INSERT INTO ${table('people')} VALUES ${values.join(', ')}`];
}

/** The target as the engine finds it: columns as `describe` gives them. */
export async function targetOf(
  fixture: Fixture,
  session: Session,
  keys: readonly string[] = ['customer_id'],
): Promise<WriteBackTarget> {
  const table = factsOf(fixture).table('people');
  const sql = `SELECT ${[...keys, 'MPID'].join(', ')} FROM ${table}`;
  const columns = await session.describe(statement(sql), NEVER);
  return { table, key: columns.slice(0, -1), mpid: columns.at(-1) as Column };
}

/** All rows in order of `n`, MPIDs as bigint; by a session of its own, for the others may keep an older snapshot. */
export async function peopleOf(
  fixture: Fixture,
  warehouse: Warehouse,
  table = 'people',
): Promise<readonly PersonRow[]> {
  await using session = await openOn(fixture, warehouse);
  const sql = `SELECT customer_id, email, MPID, note, n FROM ${factsOf(fixture).table(table)} ORDER BY n`;
  const { rows } = await readAll(session, requestOf(sql));
  return rows.map(([customer, email, mpid, note, n]) => [
    customer as string | null,
    email as string | null,
    mpid === null || mpid === undefined ? null : BigInt(String(mpid)),
    note as string | null,
    Number(n),
  ]);
}

export function staged(key: KeyCell | readonly KeyCell[], mpid: bigint, readMpid: bigint | null = null): StagedRow {
  return { key: isCell(key) ? [key] : key, readMpid, mpid };
}

function isCell(key: KeyCell | readonly KeyCell[]): key is KeyCell {
  return !Array.isArray(key);
}

export function applyRequest(
  target: WriteBackTarget,
  rows: readonly StagedRow[],
  changed: Partial<WriteBackRequest> = {},
): WriteBackRequest {
  return { target, rows, staging: STAGING, beforeUpdate: async () => [], mostListed: 10, ...changed };
}

/** One whose last row never comes to the warehouse; nobody asks whether it may update then. */
export function requestWithLoss(target: WriteBackTarget, rows: readonly StagedRow[]): WriteBackRequest {
  const beforeUpdate = () => Promise.reject(new Error('The update was asked for.'));
  const arriving = { length: rows.length, [Symbol.iterator]: () => rows.slice(0, -1).values() };
  return { ...applyRequest(target, [], { beforeUpdate }), rows: arriving };
}

/** A writing session over a table of people; afterwards nothing of ours is left in the warehouse. */
export async function writing(
  fixture: Fixture,
  people: readonly string[],
  work: (session: Session, warehouse: Warehouse) => Promise<void>,
): Promise<void> {
  await using warehouse = await fixture.start();
  await warehouse.seed(people);
  {
    await using session = await openWriting(fixture, warehouse);
    await work(session, warehouse);
  }
  expect(await factsOf(fixture).leftovers(warehouse)).toEqual([]);
  // a socket that is closed here is seen at the other end a moment later
  await until(async () => (await warehouse.connections()) === 0);
}

/** Statements for a table of `count` people without MPIDs, every second of them without a customer_id. */
export function manyPeople(fixture: Fixture, count: number): readonly string[] {
  const { table, textOf } = factsOf(fixture);
  const customer = `CASE WHEN MOD(n, 2) = 0 THEN NULL ELSE ${textOf('n')} END`;
  const values = `${customer}, ${textOf('n + 1000000')}, NULL, ${textOf('n * 7')}, n`;
  return [
    ...peopleTable(fixture, []),
    `INSERT INTO ${table('people')} SELECT ${values} FROM ${fixture.sql.series(count)}`,
  ];
}

/** Writes `count` rows, every second of them found by two keys, and looks at each: the long form of the sentence. */
export async function writeMany(fixture: Fixture, count: number): Promise<void> {
  await writing(fixture, manyPeople(fixture, count), async (session, warehouse) => {
    const target = await targetOf(fixture, session, ['customer_id', 'email']);
    const before = await peopleOf(fixture, warehouse);
    const rows = before.map(([id, email, , , n]) => staged([id, email], mpidOf(n)));
    const { apply } = writeBackOf(session);
    expect(await apply(applyRequest(target, rows), NEVER)).toEqual({ updated: count, conflicts: 0, listed: [] });
    const written = before.map(([id, email, , note, n]) => [id, email, mpidOf(n), note, n]);
    expect(await peopleOf(fixture, warehouse)).toEqual(written);
    expect(await apply(applyRequest(target, rows), NEVER)).toEqual({ updated: 0, conflicts: 0, listed: [] });
    expect(await peopleOf(fixture, warehouse)).toEqual(written);
  });
}

function mpidOf(n: number): bigint {
  return 4_611_686_018_427_387_904n + BigInt(n);
}
