import { describe, expect, it } from 'vitest';
import { createMentionMatcher } from '../../../src/identity/index.ts';
import { parseJson } from '../../../src/kernel/index.ts';

const names = createMentionMatcher({
  identities: [
    { type: 'email', value: 'Ann.Lee@Example.com' },
    { type: 'customer_id', value: '42' },
    { type: 'other', value: 'environment' },
    { type: 'other_id_2', value: 'identities' },
    { type: 'other_id_3', value: 'custom_event' },
    { type: 'other_id_4', value: 'phone_number_2' },
    { type: 'facebook', value: 'ann-1984' },
    { type: 'facebook', value: 'bee-198' },
    { type: 'other', value: 'release-2026.1' },
    { type: 'other_id_5', value: 'f7c1a9e0b3d84c55' },
    { type: 'yahoo', value: '2026-01-15T00:00:00Z' },
    { type: 'ios_idfv', value: '5D6A7E4C-0F1B-4F0A-9E55-3A8A1B2C3D4E' },
  ],
  mpids: [6893488147419103233n],
});
const isNamed = (text: string) => names(parseJson(text));

describe('looking for a person in what is kept as JSON', () => {
  it.each([
    ['a field of its type', '{"email":"Ann.Lee@Example.com"}'],
    ['e-mail in any case', '{"EMAIL":" ann.lee@example.COM "}'],
    ['a short value in a field of its type', '{"customer_id":"42"}'],
    ['a number that stands for the text', '{"customer_id":42}'],
    ['another spelling of the type', '{"user_identities":{"customerid":"42"}}'],
    ['characters that are written as escapes', '{"email":"\\u0061nn.lee@example.com"}'],
    ['an MPID beyond 2^53', '{"mpid":6893488147419103233}'],
    ['an MPID as text', '{"MPID":"6893488147419103233"}'],
    ['a value anywhere else', '{"row":[{"contact":"ann.lee@example.com"}]}'],
    ['a word in a field of its type', '{"user_identities":{"other":"environment"}}'],
    ['a short value with a digit as the whole of another field', '{"note":" Ann-1984 "}'],
    ['an identifier in a longer text', '{"reason":"profile-5d6a7e4c-0f1b-4f0a-9e55-3a8a1b2c3d4e failed"}'],
    ['an address at the end of a sentence', '{"reason":"Unknown: ann.lee@example.com."}'],
    ['JSON in JSON in a text', '{"a":"[\\"{\\\\\\"b\\\\\\":\\\\\\"ann.lee@example.com\\\\\\"}\\"]"}'],
    ['a longer text', '{"reason":"\\"ann.lee@example.com\\" is not a number"}'],
    ['JSON in a text', '{"payload":"{\\"customer_id\\":\\"42\\"}"}'],
    ['a long token of a free type elsewhere', '{"note":"f7c1a9e0b3d84c55"}'],
    ['a list of values', '{"customer_id":["41","42"]}'],
    ['the single value of a JSON column', '{"customer_id":"\\"42\\""}'],
    ['the list in a JSON column', '{"customer_id":"[\\"42\\"]"}'],
    ['an MPID beyond 2^53 in JSON in a text', '{"a":"{\\"mpid\\":6893488147419103233}"}'],
    ['the first of two fields in JSON in a text', '{"a":"{\\"customer_id\\":42,\\"customer_id\\":1}"}'],
    ['what an object says of which type it is', '{"new":{"identity_type":"customer_id","identity":"42"}}'],
  ])('finds it in %s', (_, text) => {
    expect(isNamed(text)).toBe(true);
  });

  it.each([
    ['a short value elsewhere', '{"age":42,"note":"42"}'],
    ['a short value in quotes elsewhere', '{"note":"\\"42\\""}'],
    ['an identity of another type by what its object says', '{"new":{"identity_type":"facebook","identity":"42"}}'],
    ['a value of 7 characters elsewhere', '{"note":"bee-198"}'],
    ['a value of another type', '{"facebook":"42"}'],
    ['a part of a word', '{"email":"joann.lee@example.com"}'],
    ['a part of a number', '{"id":16893488147419103233}'],
    ['another person', '{"email":"ben@example.com","mpid":6893488147419103234}'],
    ['nothing', '{}'],
    ['a short value of a free type elsewhere', '{"app_version":"release-2026.1"}'],
    ['a date elsewhere', '{"at":"2026-01-15T00:00:00Z"}'],
    ['names of fields', '{"environment":"x","user_identities":{},"identities":[],"ann.lee@example.com":1}'],
    ['names of fields in JSON in a text', '{"row":"{\\"identities\\":{},\\"environment\\":1}"}'],
    ['an ordinary word that is a value', '{"event_type":"custom_event","note":"environment"}'],
    ['a name of a field that is a value', '{"column":"phone_number_2","reason":"phone_number_2 is too long"}'],
    ['ordinary words in a longer text', '{"reason":"the environment of user_identities is not known"}'],
    ['a short value in a longer text', '{"reason":"seen at ann-1984 street"}'],
    ['an address that begins or ends otherwise', '{"a":"x.ann.lee@example.com, ann.lee@example.com.au"}'],
  ])('does not take %s for it', (_, text) => {
    expect(isNamed(text)).toBe(false);
  });

  it('goes by what the caller says that a field means', () => {
    const meaningsOf = (field: string) => (field === 'cust' ? (['other', 'customer_id'] as const) : undefined);
    expect(names({ cust: 42 }, meaningsOf)).toBe(true);
    expect(names({ age: 42 }, meaningsOf)).toBe(false);
    expect(names({ raw: ['{"cust":"42"}'] }, meaningsOf)).toBe(true);
    const ofColumns = (field: string, depth: number) => (depth === 0 ? meaningsOf(field) : undefined);
    expect(names({ cust: '"42"' }, ofColumns)).toBe(true);
    expect(names({ raw: '{"cust":"42"}' }, ofColumns)).toBe(false);
  });

  it('needs no stack for what lies deep', () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    expect(names({ cell: deep, email: 'ann.lee@example.com' })).toBe(true);
    expect(names({ cell: deep })).toBe(false);
  });
});

it('takes a value of eight characters for telling, and none of seven', () => {
  const namesOf = (value: string) => createMentionMatcher({ identities: [{ type: 'customer_id', value }], mpids: [] });
  expect(namesOf('12345678')({ note: '12345678' })).toBe(true);
  expect(namesOf('1234567')({ note: '1234567' })).toBe(false);
  expect(namesOf('1234567')({ customer_id: '1234567' })).toBe(true);
});
