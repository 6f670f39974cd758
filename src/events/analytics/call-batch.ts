import { Type } from 'typebox';
import { repeatedField, repetition } from '../../http/index.ts';
import { type Issue, type Json, kindOf, refuse } from '../../kernel/index.ts';
import { fieldTexts, itemTexts, withoutFields } from '../accept/json-text.ts';
import { AnyString } from '../contract/leaves.ts';
import { maybe, open } from '../contract/objects.ts';
import { CALL_TYPES, CALLS, timeIssue } from './call-contract.ts';
import { isFields } from './conversions.ts';
import type { GivenCall } from './read-call.ts';

/** Most calls of one request, as the vendors' own services limit them. */
const MOST_CALLS = 2_500;

/** Body of a batch request, for API documents only: each call is checked by itself. */
export const CallBatch = open(
  {
    batch: Type.Array(
      Type.Union(CALL_TYPES.map((type) => Type.Intersect([Type.Object({ type: Type.Literal(type) }), CALLS[type]]))),
      { maxItems: MOST_CALLS },
    ),
    sentAt: Type.Optional(AnyString),
    context: maybe(open({})),
  },
  { title: 'CallBatch', examples: [{ batch: [{ type: 'track', userId: '4711', event: 'Searched' }] }] },
);

interface GivenBatch {
  readonly calls: readonly GivenCall[];
  readonly sentAt: Json | undefined;
}

/** Reads the calls of a batch request. The request's context fills the fields that a call's own context lacks. */
export function readCallBatch(body: Json): GivenBatch {
  const given = isFields(body) ? body : {};
  const { batch, sentAt, context = null } = given;
  const issues = [...listIssue(batch), ...timeIssue('sentAt', sentAt)];
  if (!isFields(context) && context !== null) {
    issues.push({ path: 'context', message: `must be an object or null, is ${kindOf(context)}` });
  }
  if (issues.length > 0) throw refuse(issues);
  const calls = (batch as readonly Json[]).map((fields) => ({ fields: withContext(fields, context) }));
  return { calls, sentAt };
}

/** Reads a batch request in which a field occurs twice somewhere. Only the call around it is refused. `text` is the body. */
export function readRepeatingBatch(body: Json, text: string): GivenBatch {
  const { calls, sentAt } = readCallBatch(body);
  const given = body as Readonly<Record<string, Json>>;
  const [list = '[]', ...further] = fieldTexts(text, 'batch');
  const { batch: _, ...others } = given;
  const path = further.length > 0 ? 'batch' : repeatedField(withoutFields(text, ['batch']), others);
  if (path !== undefined) throw refuse([repetition(path)]);
  const texts = itemTexts(list);
  const checked = calls.map((call, index): GivenCall => {
    const repeated = repeatedField(texts[index] as string, (given.batch as readonly Json[])[index] as Json);
    return repeated === undefined ? call : { ...call, issues: [repetition(repeated)] };
  });
  return { calls: checked, sentAt };
}

function listIssue(batch: Json | undefined): readonly Issue[] {
  if (!Array.isArray(batch)) return [{ path: 'batch', message: `must be a list of calls, is ${kindOf(batch)}` }];
  if (batch.length <= MOST_CALLS) return [];
  return [{ path: 'batch', message: `has ${batch.length} calls; at most ${MOST_CALLS} are allowed in one request` }];
}

function withContext(call: Json, context: Json): Json {
  if (!isFields(context) || !isFields(call)) return call;
  const own = call.context ?? {};
  // a context that is no object is refused later, as it came
  return isFields(own) ? { ...call, context: { ...context, ...own } } : call;
}
