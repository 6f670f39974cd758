// Wire shapes of data plans: a registry of names and versions, without their rules (D-109).
import { type Static, Type } from 'typebox';

const CLOSED = { additionalProperties: false };

export const PLAN_STATUSES = ['draft', 'active', 'inactive'] as const;

const PlanVersion = Type.Object(
  {
    version: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
    status: Type.Enum([...PLAN_STATUSES], {
      description: 'Pipelines of warehouse sync v1 can only name active versions.',
    }),
  },
  { title: 'DataPlanVersion', ...CLOSED },
);

const properties = {
  id: Type.String({
    // the specification does not describe this id, which follows the other ids of this API
    pattern: '^[A-Za-z0-9_-]+$',
    maxLength: 128,
    meaning: 'letters, digits, "_" and "-"',
    description: 'Letters, digits, _ and -, at most 128.',
    examples: ['shop-plan'],
  }),
  name: Type.String({ minLength: 1, maxLength: 256 }),
  versions: Type.Array(PlanVersion, {
    maxItems: 1000,
    description: 'Each version once. Answers list them in ascending order.',
  }),
};

export type DataPlanVersion = Readonly<Static<typeof PlanVersion>>;

export const DataPlanBody = Type.Object(properties, {
  title: 'DataPlanBody',
  ...CLOSED,
  examples: [{ id: 'shop-plan', name: 'What the shop sends', versions: [{ version: 1, status: 'active' }] }],
});
export type DataPlanBody = Static<typeof DataPlanBody>;

/** Fields that GET shows and a body may repeat. */
export const DATA_PLAN_READ_ONLY = ['created_on', 'created_by', 'last_modified_on', 'last_modified_by'] as const;

const time = Type.String({ format: 'date-time' });

export const DataPlanAnswer = Type.Object(
  {
    ...properties,
    created_on: time,
    created_by: Type.String(),
    last_modified_on: Type.Union([time, Type.Null()]),
    last_modified_by: Type.Union([Type.String(), Type.Null()]),
  },
  { title: 'DataPlan', ...CLOSED },
);
export type DataPlanAnswer = Static<typeof DataPlanAnswer>;
