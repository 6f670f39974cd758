// The mappings of a transformation from the wire into records. Pure.
import type { Static } from 'typebox';
import type { Issue } from '../../kernel/index.ts';
import type { MappingShape } from '../contract/field-transformation.ts';
import type { FieldMapping } from './field-transformation.ts';

type Wire = Static<typeof MappingShape>;
type Field = 'source' | 'value' | 'destination';

/** Fields of each mapping_type. A field without a meaning is refused, so that typos are noticed. */
const FIELDS: Readonly<Record<Wire['mapping_type'], readonly Field[]>> = {
  column: ['source', 'destination'],
  static: ['value', 'destination'],
  ignore: ['source'],
};
const WHAT: Readonly<Record<Field, string>> = {
  source: 'name a column of the model',
  value: 'give the value for every row',
  destination: 'name a path into the batch, such as events.data.event_name',
};

/**
 * Reads the mappings. A mapping without one of its fields is undefined, so that the others keep their places. Complaints are
 * pushed to `issues`.
 */
export function readMappings(wire: readonly Wire[], issues: Issue[]): readonly (FieldMapping | undefined)[] {
  return wire.map((line, index) => {
    const found = complaints(line).map(([field, message]) => ({ path: `mappings[${index}].${field}`, message }));
    issues.push(...found);
    return found.length > 0 ? undefined : mappingOf(line);
  });
}

function complaints(line: Wire): readonly (readonly [Field, string])[] {
  const { mapping_type: type } = line;
  return (['source', 'value', 'destination'] as const).flatMap((field) => {
    const isGiven = line[field] !== undefined && line[field] !== null;
    const isWanted = FIELDS[type].includes(field);
    if (isGiven === isWanted) return [];
    const wanted = FIELDS[type].join(' and ');
    return [
      [
        field,
        isWanted
          ? `is required for mapping_type ${type}; ${WHAT[field]}`
          : `is not allowed: mapping_type ${type} has ${wanted}; leave it out`,
      ],
    ];
  });
}

function mappingOf({ mapping_type: type, source, value, destination }: Wire): FieldMapping {
  if (type === 'column') return { type, source: source ?? '', destination: destination ?? '' };
  if (type === 'static') return { type, value: value ?? null, destination: destination ?? '' };
  return { type, source: source ?? '' };
}
