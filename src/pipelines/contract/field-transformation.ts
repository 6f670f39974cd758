import { Type } from 'typebox';
import type { Json } from '../../kernel/index.ts';
import { auditProperties, closed, Name, optionalOrNull, Slug } from './shared.ts';

/**
 * One line of a transformation (D-102). Its `mapping_type` decides which fields it has; `read-mappings.ts` checks that.
 */
export const MappingShape = closed(
  {
    mapping_type: Type.Enum(['column', 'static', 'ignore'], {
      description:
        'column: maps the column `source` to `destination`. static: sets `destination` to `value` in ' +
        'every row. ignore: leaves out the column `source`; without this mapping, an unmapped column is reported as ' +
        'a warning of the pipeline. Each type requires its fields and refuses the others.',
    }),
    source: optionalOrNull(Type.String({ minLength: 1, description: 'A column of the model.' })),
    value: Type.Optional(
      Type.Unsafe<Json>({
        description: 'Text, a number, true or false; or a list of these if the destination is a list.',
      }),
    ),
    destination: optionalOrNull(
      Type.String({
        minLength: 1,
        description:
          'Dotted path in the event batch, such as `user_identities.email`, `events.event_type`, ' +
          '`events.data.event_name`, `events.data.custom_attributes.<key>`, ' +
          '`events.data.product_action.products.<field>`, `device_info.<field>`, `mpid`. A row creates one event; in ' +
          '`products` and other lists of objects, a list column creates one object per item.',
      }),
    ),
  },
  'FieldMapping',
);

const properties = {
  id: Slug,
  name: Name,
  destination_type: Type.Enum(['events']),
  mappings: Type.Array(MappingShape, { maxItems: 1000 }),
};

/** Body of POST and PUT of a field transformation, checked against the schema of the batch when it is saved (D-102). */
export const FieldTransformationBody = closed(properties, 'FieldTransformationBody', {
  id: 'purchases',
  name: 'Purchases become commerce events',
  destination_type: 'events',
  mappings: [
    { mapping_type: 'static', value: 'commerce_event', destination: 'events.event_type' },
    { mapping_type: 'static', value: 'purchase', destination: 'events.data.product_action.action' },
    { mapping_type: 'column', source: 'customer_id', destination: 'user_identities.customer_id' },
    { mapping_type: 'column', source: 'amount', destination: 'events.data.product_action.total_amount' },
    { mapping_type: 'ignore', source: 'loaded_at' },
  ],
});

export const FieldTransformationAnswer = closed({ ...properties, ...auditProperties }, 'FieldTransformation');
