// Entries of data subject requests, from the options of one request or from the rows of a CSV.
import type { Entry } from '../../dsr/index.ts';
import { AppError } from '../../kernel/index.ts';
import { readCsv } from './read-csv.ts';

export interface EntryOptions {
  readonly id?: string;
  readonly type: string;
  readonly regulation: string;
  readonly submitted?: string;
  readonly group?: string;
  readonly skipWaitingPeriod?: true;
  readonly callback?: readonly string[];
  /** Identities as `type=value`. */
  readonly identity?: readonly string[];
}

export function entryOfOptions(options: EntryOptions): Entry {
  const { id, type, regulation, submitted, group, skipWaitingPeriod, callback, identity = [] } = options;
  return {
    id,
    type,
    regulation,
    submittedTime: submitted,
    groupId: group,
    skipWaitingPeriod,
    callbackUrls: callback,
    identities: identity.map(identityOf),
  };
}

function identityOf(text: string): Entry['identities'][number] {
  const at = text.indexOf('=');
  // the message does not repeat the text, which may be an identity
  if (at < 1) throw new AppError('VALIDATION_FAILED', 'Write --identity as TYPE=VALUE, such as email=ann@example.org.');
  return { name: text.slice(0, at), value: text.slice(at + 1) };
}

/** Columns that are not identity types. */
const COLUMNS: Readonly<Record<string, (text: string) => Partial<Entry>>> = {
  id: (id) => ({ id }),
  type: (type) => ({ type }),
  regulation: (regulation) => ({ regulation }),
  submitted: (submittedTime) => ({ submittedTime }),
  group: (groupId) => ({ groupId }),
  callback: (text) => ({ callbackUrls: text.split(' ').filter((url) => url !== '') }),
  skip_waiting_period: (text) => ({ skipWaitingPeriod: isYes(text) }),
};

/**
 * Returns an entry for each row. For an empty field, the option of the command holds. Every column that `COLUMNS` does not name
 * is an identity type.
 */
export function entriesOfCsv(text: string, options: EntryOptions): readonly Entry[] {
  const standard = entryOfOptions(options);
  return readCsv(text).map((row) => {
    const fields = Object.entries(row).filter(([, value]) => value !== '');
    const given = fields.map(([name, value]) => COLUMNS[name]?.(value) ?? {});
    const identities = fields
      .filter(([name]) => !Object.hasOwn(COLUMNS, name))
      .map(([name, value]) => ({ name, value }));
    return Object.assign({ ...standard, identities: [...standard.identities, ...identities] }, ...given);
  });
}

function isYes(text: string): boolean {
  const word = text.toLowerCase();
  if (word === 'true' || word === 'yes') return true;
  if (word === 'false' || word === 'no') return false;
  throw new AppError('VALIDATION_FAILED', 'A field of skip_waiting_period must be true, false, yes or no.');
}
