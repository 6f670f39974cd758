// One person in every form in which records without a profile hold people: bodies and cells, as senders write them.
import { randomBytes, randomUUID } from 'node:crypto';

const some = () => randomBytes(12).toString('hex');

/** What a person is called: short values with characters that JSON escapes, and long ones. */
export const named = (letter: string) => ({
  customer: `${letter}ö/5"k`,
  email: `${letter}.${some()}@exämple.com`,
  mobile: `${letter}0/71é`,
  anonymous: `${letter}~"ü7`,
  device: randomUUID(),
  formerEmail: `${letter}.old.${some()}@exämple.com`,
  formerMobile: `${letter}0/99é`,
});
export type Named = ReturnType<typeof named>;

/** JSON with every character beyond ASCII and every slash as an escape. */
const escaped = (value: string) =>
  JSON.stringify(value)
    .replace(/[^\x20-\x7e]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`)
    .replaceAll('/', '\\/');

/** Cells of three JSON columns: customer and number, out of which the mapping reads the value inside, and something else. */
export const cellsOf = (person: Named) => [
  [escaped(person.customer), '"1"', '{}'],
  ['"x"', escaped(person.mobile), '{}'],
  ['"x"', `[${escaped(person.formerMobile)}]`, '{}'],
  // the first of two fields of one name
  ['"x"', '"1"', `{"email": ${escaped(person.email)}, "email": "else@example.com"}`],
  ['"x"', '"1"', `[${escaped(`{"mobile_number":${escaped(person.formerMobile)}}`)}]`],
];

/** Batches that are refused, as JSON texts. */
export function refusedBatches(person: Named): readonly string[] {
  const twice = (first: string, second: string) => `{"user_identities":{${first},${second}},"events":[]}`;
  const wrong = (fields: object) => JSON.stringify({ ip: 7, environment: 'nowhere', ...fields });
  return [
    twice(`"email":${escaped(person.email)}`, '"email":"else@example.com"'),
    twice(`"customer_id":${escaped(person.customer)}`, '"customer_id":"else"'),
    `{"user_identities":{"email":${escaped(person.formerEmail)}},"user_identities":{"email":"else@example.com"},"events":[]}`,
    wrong({ user_identities: { other: person.anonymous } }),
    wrong({ user_identities: { mobile_number: person.formerMobile } }),
    wrong({ user_attributes: { mail: `write to ${person.email}` } }),
    wrong({ user_attributes: { packed: escaped(JSON.stringify({ email: person.formerEmail })) } }),
  ];
}

/** Analytics calls that are refused. */
export function refusedCalls(person: Named): readonly object[] {
  const call = (fields: object) => ({ type: 'track', event: { bad: 1 }, properties: { note: 'private' }, ...fields });
  return [
    call({ userId: person.customer }),
    call({ anonymousId: person.anonymous }),
    call({ previousId: person.anonymous }),
    call({ context: { traits: { phone: person.mobile } } }),
    call({ context: { traits: { phone: person.formerMobile } } }),
    call({ properties: { call: escaped(JSON.stringify({ userId: person.customer })) } }),
  ];
}

/** Batches that are kept without an MPID. */
export function batchesOfNobody(person: Named): readonly object[] {
  const change = (type: string, identity: string) => ({ identity_type: type, identity });
  const changed = { old: change('customer_id', 'else'), new: change('customer_id', person.customer) };
  return [
    { events: [], partner_identities: { crm: person.email }, user_attributes: { mail: person.email } },
    { events: [{ event_type: 'user_identity_change', data: changed }] },
    { events: [], user_attributes: { phones: [person.device] } },
    { events: [], user_attributes: { former: person.formerEmail } },
  ];
}
