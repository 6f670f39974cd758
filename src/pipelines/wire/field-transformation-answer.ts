import type { Static } from 'typebox';
import type { FieldTransformationAnswer } from '../contract/field-transformation.ts';
import type { FieldMapping, FieldTransformation } from '../transformations/field-transformation.ts';
import { auditAnswer } from './connection-answer.ts';

/** Returns a field transformation as the API answers it (D-102). A mapping shows only the fields that its type has. */
export function fieldTransformationAnswer(
  transformation: FieldTransformation,
): Static<typeof FieldTransformationAnswer> {
  const { id, name, mappings } = transformation;
  return {
    id,
    name,
    destination_type: 'events',
    mappings: mappings.map(mappingAnswer),
    ...auditAnswer(transformation),
  };
}

function mappingAnswer({ type, ...fields }: FieldMapping) {
  return { mapping_type: type, ...fields };
}
