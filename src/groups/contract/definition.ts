// Wire shapes of group definitions. Lengths and aggregations are not part of the shape: a body that breaks one of them
// is 422, while a body of another shape is 400 (D-071).
import { type Static, Type } from 'typebox';

const CLOSED = { additionalProperties: false };

export const AGGREGATIONS = ['latest', 'boolean_or', 'sum', 'average'] as const;

const AttributeBody = Type.Object(
  {
    id: Type.String({
      description: 'User attribute that the group shares, 1 to 223 characters.',
      examples: ['revenue'],
    }),
    type: Type.String({
      description: 'One of `latest`, `boolean_or`, `sum`, `average`.',
      examples: ['sum'],
    }),
  },
  { title: 'GroupAttribute', ...CLOSED },
);

const attributes = Type.Array(AttributeBody, { description: 'At most 10 attributes, each id once.' });
const changeable = {
  description: Type.String({ description: 'At most 255 characters.' }),
  source_user_attribute: Type.String({
    description: 'User attribute whose equal values put people into one group.',
    examples: ['company'],
  }),
  attributes,
};
const id = Type.String({ description: '3 to 32 characters. It never changes.', examples: ['company'] });

const example = {
  id: 'company',
  description: 'Colleagues',
  source_user_attribute: 'company',
  attributes: [{ id: 'revenue', type: 'sum' }],
};

export const GroupBody = Type.Object(
  { id, ...changeable },
  { title: 'GroupDefinitionBody', ...CLOSED, examples: [example] },
);

/** The body of a PUT. It may hold the id, so that an answer of GET can be sent back. */
export const GroupReplacement = Type.Object(
  { id: Type.Optional(id), ...changeable },
  { title: 'GroupDefinitionReplacement', ...CLOSED, examples: [example] },
);

export const GroupPatch = Type.Object(
  { attributes },
  { title: 'GroupDefinitionPatch', ...CLOSED, examples: [{ attributes: [{ id: 'plan', type: 'latest' }] }] },
);

/** Fields that GET shows and a body may repeat. */
export const GROUP_READ_ONLY = ['created_on', 'created_by', 'last_modified_on', 'last_modified_by'] as const;

const time = Type.String({ format: 'date-time' });

export const GroupAnswer = Type.Object(
  {
    id,
    ...changeable,
    // The specification types these as strings, so before the first change they equal created_*.
    created_on: time,
    created_by: Type.String(),
    last_modified_on: time,
    last_modified_by: Type.String(),
  },
  { title: 'GroupDefinition', ...CLOSED },
);
export type GroupAnswer = Static<typeof GroupAnswer>;
