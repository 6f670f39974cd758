// The form of a recorded conversation: one error answer of a real service, where it was published, and what Penstock must say.
import { type Static, Type } from 'typebox';

const CLOSED = { additionalProperties: false } as const;

/** A text with at least one character that is no white space. */
const Words = Type.String({ pattern: '\\S' });

const HttpsUrl = Type.String({ pattern: '^https://[^\\s/]+\\.[^\\s/]+(/\\S*)?$' });

/** An answer over HTTP. A body that is no text is sent as JSON. */
export const HttpAnswer = Type.Object(
  {
    status: Type.Integer({ minimum: 200, maximum: 599 }),
    headers: Type.Optional(Type.Record(Type.String({ pattern: '^[a-z0-9-]+$' }), Type.String())),
    body: Type.Unknown(),
  },
  CLOSED,
);

/** An ErrorResponse of PostgreSQL's protocol: its fields by letter, such as `{ "S": "ERROR", "C": "42501", "M": "…" }`. */
export const PostgresAnswer = Type.Object(
  { fields: Type.Record(Type.String({ pattern: '^[A-Za-z]$' }), Type.String()) },
  CLOSED,
);

/** A conversation whose answer is still to be read by the provider's own schema. */
export const Conversation = Type.Object(
  {
    about: Words,
    source: Type.Object({ title: Words, url: HttpsUrl }, CLOSED),
    during: Type.Enum(['sign-in', 'statement', 'fetch', 'write-back']),
    answer: Type.Unknown(),
    says: Type.Object({ code: Type.String({ pattern: '^WAREHOUSE_' }), disposition: Words, message: Words }, CLOSED),
  },
  CLOSED,
);

/** One recorded error with the name of its file and an answer in the form that the provider's wire server takes. */
export interface RecordedConversation<Answer> extends Static<typeof Conversation> {
  /** Name of the file without `.json`. */
  readonly name: string;
  readonly answer: Answer;
}
