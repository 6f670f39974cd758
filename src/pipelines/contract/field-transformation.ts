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
        'column: the cell of the column `source` goes to `destination`. static: `value` goes to `destination`, with ' +
        'every row. ignore: the column `source` is left out on purpose; without it a column that no mapping names is ' +
        'a warning of the pipeline. Each needs the fields that are named here and refuses the others.',
    }),
    source: optionalOrNull(Type.String({ minLength: 1, description: 'A column of the model.' })),
    value: Type.Optional(
      Type.Unsafe<Json>({
        description: 'Text, a number, true or false; a list of them where the destination takes lists.',
      }),
    ),
    destination: optionalOrNull(
      Type.String({
        minLength: 1,
        description:
          'Dotted path into the event batch, such as `user_identities.email`, `events.event_type`, ' +
          '`events.data.event_name`, `events.data.custom_attributes.<key>`, ' +
          '`events.data.product_action.products.<field>`, `device_info.<field>`, `mpid`. A row gives one event; in ' +
          '`products` and other lists of objects a column that is a list gives one object an item.',
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
