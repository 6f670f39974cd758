// Wire shapes of the delivery log of callbacks, an extension.
import { Type } from 'typebox';
import { Int64, PageQuery } from '../../http/index.ts';
import { REQUEST_STATUSES } from '../request-machine.ts';

const CLOSED = { additionalProperties: false };
const Time = Type.String({ format: 'date-time' });
const TimeOrNull = Type.Union([Time, Type.Null()]);

export const CALLBACK_STATES = ['queued', 'delivered', 'given_up'] as const;

const Attempt = Type.Object(
  {
    attempt: Type.Integer(),
    started_on: Time,
    ended_on: Type.Union([Time, Type.Null()], {
      description: 'Null while in progress, or if the attempt was interrupted.',
    }),
    http_status: Type.Union([Type.Integer(), Type.Null()], { description: 'Null if there was no answer.' }),
    error: Type.Union([Type.String(), Type.Null()], { description: 'Reason for the failure.' }),
  },
  CLOSED,
);

export const CallbackAnswer = Type.Object(
  {
    id: Int64(),
    subject_request_id: Type.String(),
    request_status: Type.Enum(REQUEST_STATUSES, { description: 'Status that the callback reports.' }),
    receiver: Type.String({ description: 'Scheme, host and port of its URL.' }),
    state: Type.Enum(CALLBACK_STATES),
    queued_on: Time,
    next_attempt_on: Type.Union([Time, Type.Null()], { description: 'Earliest time of the next attempt.' }),
    delivered_on: TimeOrNull,
    gave_up_on: TimeOrNull,
    is_replayable: Type.Boolean({
      description: 'True if the body is still stored, so that the callback can be sent again.',
    }),
    attempts: Type.Array(Attempt),
  },
  { ...CLOSED, title: 'SubjectRequestCallback' },
);

export const CallbackPage = Type.Object({ items: Type.Array(CallbackAnswer) }, CLOSED);

export const CallbackQuery = Type.Object({
  ...PageQuery.properties,
  subject_request_id: Type.Optional(Type.String({ description: 'Only callbacks of this request.' })),
  state: Type.Optional(Type.Enum(CALLBACK_STATES, { description: 'Only callbacks in this state.' })),
});
