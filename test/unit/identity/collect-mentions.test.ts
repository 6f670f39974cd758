import { expect, it } from 'vitest';
import { collectMentions } from '../../../src/identity/index.ts';

const MPID = 6893488147419103233n;

it('takes identities and an MPID from fields of their types, and identifying texts from any other field', () => {
  const record = {
    customer_id: 4711,
    email: ' ANN@Example.com ',
    mpid: String(MPID),
    phones: { mobile_number: '' },
    note: 'ask ben@example.com or ticket-2026-0815',
    copy: { note: ['ben@example.com', 'short'] },
  };
  const { identities, untypedTexts, ...others } = collectMentions(record);
  expect(new Set(identities)).toEqual(
    new Set([
      { type: 'customer_id', value: '4711' },
      { type: 'email', value: 'ANN@Example.com' },
    ]),
  );
  expect(untypedTexts?.toSorted()).toEqual(['ANN@Example.com', record.note, 'ben@example.com', 'ticket-2026-0815']);
  expect(others).toEqual({ mpid: MPID });
});

it('takes the meanings of fields that the caller knows, and no MPID where none is an MPID', () => {
  const meaningsOf = (field: string) => (field === 'login' ? (['email', 'customer_id'] as const) : undefined);
  const named = collectMentions({ login: 'ann@example.com', mpid: 'none' }, meaningsOf);
  expect(named).toStrictEqual({
    identities: [
      { type: 'email', value: 'ann@example.com' },
      { type: 'customer_id', value: 'ann@example.com' },
    ],
    untypedTexts: ['ann@example.com'],
  });
});

it('names nobody for a record without a text', () => {
  expect(collectMentions({ mpid: {}, list: [null, true] })).toStrictEqual({ identities: [], untypedTexts: [] });
});

it('keeps the first of several MPIDs', () => {
  // the walk begins at the end
  expect(collectMentions([{ mpid: MPID + 2n }, { mpid: MPID }]).mpid).toBe(MPID);
});

it('looks up 50 texts of a record at most, its e-mails first', () => {
  const notes = Array.from({ length: 900 }, (_, index) => `token-number-${index}`);
  const { untypedTexts } = collectMentions({ contact: 'ann@example.com', notes, customer_id: '4711' });
  expect(untypedTexts).toHaveLength(50);
  // the walk comes to the first field last
  expect(untypedTexts?.[0]).toBe('ann@example.com');
});
