// Finds projected fields that break the query rules of write-back.
import { place } from '../find-refused.ts';
import { type Finding, identityOf, type WriteBackReading } from './read-model.ts';
import type { Projected } from './read-projection.ts';

export function findStar({ projection }: WriteBackReading): Finding | undefined {
  // DuckDB reads `FROM users` as a star that was not written
  return first(projection, ['star'], ({ text }) => `${text || '*'} is not allowed; name each column.`);
}

export function findExpression({ projection }: WriteBackReading): Finding | undefined {
  return first(
    projection,
    ['expression', 'nested'],
    ({ text }) =>
      `"${text}" is not a column of the table; select plain columns, and store computed values in a column.`,
  );
}

export function findAlias({ projection }: WriteBackReading): Finding | undefined {
  return first(
    projection,
    ['alias'],
    ({ text }) =>
      `"${text}" renames a column; select it under its own name, and rename it in the table if that name is not ` +
      'reserved.',
  );
}

function first(
  projection: readonly Projected[],
  kinds: readonly Projected['kind'][],
  say: (field: Projected) => string,
): Finding | undefined {
  const field = projection.find(({ kind }) => kinds.includes(kind));
  return field === undefined ? undefined : { message: say(field), offset: field.offset };
}

export function findOtherName({ projection, identities }: WriteBackReading): Finding | undefined {
  const wrong = named(projection).filter(({ name }) => !isReserved(name, identities));
  const [first] = wrong;
  if (first === undefined) return undefined;
  const names = wrong.map(({ name }) => `"${name}"`).join(', ');
  const message =
    `${names} ${wrong.length === 1 ? 'is not a reserved identity name' : 'are not reserved identity names'}; a write-back ` +
    `model selects only MPID and identities: ${Object.keys(identities).join(', ')}. Remove the others, or rename ` +
    'them in the table.';
  return { message, offset: first.offset };
}

function isReserved(name: string, identities: WriteBackReading['identities']): boolean {
  return name.toLowerCase() === 'mpid' || identityOf(name, identities) !== undefined;
}

/** Returns the fields that have a name in the rows, whatever they hold. */
function named(projection: readonly Projected[]): readonly Projected[] {
  return projection.filter(({ name }) => name !== '');
}

export function findTwice({ projection, identities }: WriteBackReading): Finding | undefined {
  const meaning = (name: string) => identityOf(name, identities) ?? name.toLowerCase();
  const groups = Map.groupBy(named(projection), ({ name }) => meaning(name));
  for (const [type, [first, second]] of groups) {
    if (first === undefined || second === undefined) continue;
    const message = `"${first.name}" and "${second.name}" both mean ${type}; select only one of them.`;
    return { message, offset: second.offset };
  }
  return undefined;
}

export function findNoIdentity({ projection, identities, tokens }: WriteBackReading): Finding | undefined {
  const has = named(projection).some(({ name }) => identityOf(name, identities) !== undefined);
  // a star may have some
  if (has || projection.some(({ kind }) => kind === 'star')) return undefined;
  const message =
    'The model selects no identity, so its rows cannot be identified; add a column such as ' + 'customer_id or email.';
  return { message, offset: place('SELECT', tokens) };
}

export function findNoMpid({ projection, tokens }: WriteBackReading): Finding | undefined {
  const has = named(projection).some(({ name }) => name.toLowerCase() === 'mpid');
  if (has || projection.some(({ kind }) => kind === 'star')) return undefined;
  const message = 'The model does not select MPID; add the column MPID, which the resolved ids are written to.';
  return { message, offset: place('SELECT', tokens) };
}
