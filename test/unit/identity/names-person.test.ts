import { describe, expect, it } from 'vitest';
import { createNamesPerson } from '../../../src/identity/index.ts';
import { parseJson } from '../../../src/kernel/index.ts';

const names = createNamesPerson({
  identities: [
    { type: 'email', value: 'Ann.Lee@Example.com' },
    { type: 'customer_id', value: '42' },
    { type: 'other', value: 'known-as-ann' },
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
    ['a name of a field', '{"known-as-ann":1}'],
    ['a longer text', '{"reason":"\\"ann.lee@example.com\\" is not a number"}'],
    ['JSON in a text', '{"payload":"{\\"customer_id\\":\\"42\\"}"}'],
    ['a list of values', '{"customer_id":["41","42"]}'],
  ])('finds it in %s', (_, text) => {
    expect(isNamed(text)).toBe(true);
  });

  it.each([
    ['a short value elsewhere', '{"age":42,"note":"42"}'],
    ['a value of another type', '{"facebook":"42"}'],
    ['a part of a word', '{"email":"joann.lee@example.com"}'],
    ['a part of a number', '{"id":16893488147419103233}'],
    ['another person', '{"email":"ben@example.com","mpid":6893488147419103234}'],
    ['nothing', '{}'],
  ])('does not take %s for it', (_, text) => {
    expect(isNamed(text)).toBe(false);
  });

  it('goes by what the caller says that a field means', () => {
    const meaningOf = (field: string) => (field === 'cust' ? ('customer_id' as const) : undefined);
    expect(names({ cust: 42 }, meaningOf)).toBe(true);
    expect(names({ age: 42 }, meaningOf)).toBe(false);
  });
});
