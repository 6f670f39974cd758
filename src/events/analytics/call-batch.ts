import { Type } from 'typebox';
import { repeatedField, repetition } from '../../http/index.ts';
import { type Issue, itemAt, type Json, kindOf, refuse } from '../../kernel/index.ts';
import { fieldTexts, itemTexts, withoutFields } from '../accept/json-text.ts';
import { AnyString } from '../contract/leaves.ts';
import { maybe, open } from '../contract/objects.ts';
import { CALL_TYPES, CALLS, timeIssue } from './call-contract.ts';
import { isFields, isList } from './conversions.ts';
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
  const { list, context, sentAt } = partsOf(body);
  return { calls: list.map((call) => ({ fields: withContext(call, context) })), sentAt };
}

/** Reads a batch request in which a field occurs twice somewhere. Only the call around it is refused. `text` is the body. */
export function readRepeatingBatch(body: Json, text: string): GivenBatch {
  const { list, context, sentAt, others } = partsOf(body);
  const [listText = '[]', ...further] = fieldTexts(text, 'batch');
  const path = further.length > 0 ? 'batch' : repeatedField(withoutFields(text, ['batch']), others);
  if (path !== undefined) throw refuse([repetition(path)]);
  const texts = itemTexts(listText);
  const calls = list.map((call, index): GivenCall => {
    const repeated = repeatedField(itemAt(texts, index), call);
    const fields = withContext(call, context);
    return repeated === undefined ? { fields } : { fields, issues: [repetition(repeated)] };
  });
  return { calls, sentAt };
}

interface BatchParts {
  readonly list: readonly Json[];
  readonly context: Json;
  readonly sentAt: Json | undefined;
  /** Everything but the list of calls. */
  readonly others: Readonly<Record<string, Json>>;
}

/** Takes a request body apart. Throws VALIDATION_FAILED for wrong parts; the calls are not checked. */
function partsOf(body: Json): BatchParts {
  const { batch, ...others } = isFields(body) ? body : {};
  const { sentAt, context = null } = others;
  const issues = [...listIssue(batch), ...timeIssue('sentAt', sentAt)];
  if (!isFields(context) && context !== null) {
    issues.push({ path: 'context', message: `must be an object or null, is ${kindOf(context)}` });
  }
  if (issues.length > 0) throw refuse(issues);
  return { list: isList(batch) ? batch : [], context, sentAt, others };
}

function listIssue(batch: Json | undefined): readonly Issue[] {
  if (!isList(batch)) return [{ path: 'batch', message: `must be a list of calls, is ${kindOf(batch)}` }];
  if (batch.length <= MOST_CALLS) return [];
  return [{ path: 'batch', message: `has ${batch.length} calls; at most ${MOST_CALLS} are allowed in one request` }];
}

function withContext(call: Json, context: Json): Json {
  if (!isFields(context) || !isFields(call)) return call;
  const own = call.context ?? {};
  // a context that is no object is refused later, as it came
  return isFields(own) ? { ...call, context: { ...context, ...own } } : call;
}
