// Translates what web clients send beyond the batch format before a batch is validated, so that pages keep working
// unchanged (D-038): a page retries a refused batch again and again, and its later batches wait behind it. Only the web
// path uses it. A batch without such fields is returned as it is.
import { isRawNumber, stringifyJson } from '../../kernel/index.ts';
import type { SentBatch } from './accept-batches.ts';

type Fields = Readonly<Record<string, unknown>>;

/** Pattern for texts that may need a translation; most batches need none. */
const MAYBE = /"(?:unknown|crash_report|sideloaded_kits_count|commerce_event)"/;

/** Translates a batch of a web client into the batch format. */
export function toContractFields(sent: SentBatch): SentBatch {
  if (!MAYBE.test(sent.text) || !isObject(sent.body)) return sent;
  const body = batchInWords(sent.body);
  const text = stringifyJson(body);
  return text === stringifyJson(sent.body) ? sent : { body, text };
}

function batchInWords(batch: Fields): Fields {
  const { events, application_info: application } = batch;
  return {
    ...batch,
    ...(Array.isArray(events) && { events: events.map((event) => (isObject(event) ? eventInWords(event) : event)) }),
    ...(isObject(application) && { application_info: without(application, 'sideloaded_kits_count') }),
  };
}

function eventInWords(event: Fields): Fields {
  const { event_type: kind, data } = event;
  if (!isObject(data)) return event;
  if (kind === 'custom_event') return { ...event, data: changed(data, 'custom_event_type', otherForUnknown) };
  // logError() sends no severity, which the format requires and allows to be null.
  if (kind === 'crash_report') return { ...event, data: { severity: null, ...data } };
  if (kind === 'commerce_event') return { ...event, data: commerceInWords(data) };
  return event;
}

/** Returns `other` for `unknown`, the type of an event that was logged without one. */
const otherForUnknown = (type: unknown): unknown => (type === 'unknown' ? 'other' : type);

/** Turns ids, names and attributes of products into text, because pages may send numbers. */
function commerceInWords(data: Fields): Fields {
  return COMMERCE.reduce((said, [name, change]) => changed(said, name, change), data);
}

const ofObject =
  (change: (fields: Fields) => Fields) =>
  (value: unknown): unknown =>
    isObject(value) ? change(value) : value;
const withProducts = (fields: Fields): Fields => changed(fields, 'products', productsInWords);
const COMMERCE: readonly (readonly [string, (value: unknown) => unknown])[] = [
  ['product_action', ofObject((action) => withProducts(changed(action, 'transaction_id', asText)))],
  ['shopping_cart', ofObject(withProducts)],
  ['product_impressions', (impressions) => each(impressions, withProducts)],
  ['promotion_action', ofObject(promotionInWords)],
];

/** Actions by number: the one enumeration that the SDK sends as a number. */
const PROMOTION_ACTIONS: Readonly<Record<string, string>> = { 1: 'view', 2: 'click' };

function promotionInWords(fields: Fields): Fields {
  const named = changed(fields, 'promotions', (list) => each(list, namedByText));
  return changed(named, 'action', (action) => PROMOTION_ACTIONS[String(asText(action))] ?? action);
}

const productsInWords = (products: unknown): unknown => each(products, productInWords);

const namedByText = (item: Fields): Fields => changed(changed(item, 'id', asText), 'name', asText);

function productInWords(product: Fields): Fields {
  return changed(namedByText(product), 'custom_attributes', ofObject(textsOf));
}

/** Turns attributes into text and drops those that are null. */
function textsOf(attributes: Fields): Fields {
  const said = Object.entries(attributes).filter(([, value]) => value !== null);
  return Object.fromEntries(said.map(([name, value]) => [name, asText(value)]));
}

function asText(value: unknown): unknown {
  if (isRawNumber(value)) return value.rawJSON;
  return typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean' ? String(value) : value;
}

/** Changes each object of a list. */
function each(list: unknown, change: (item: Fields) => Fields): unknown {
  return Array.isArray(list) ? list.map((item) => (isObject(item) ? change(item) : item)) : list;
}

/** Changes a field if the object has it. */
function changed(fields: Fields, name: string, change: (value: unknown) => unknown): Fields {
  return Object.hasOwn(fields, name) ? { ...fields, [name]: change(fields[name]) } : fields;
}

function without(fields: Fields, name: string): Fields {
  const { [name]: _, ...rest } = fields;
  return rest;
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);
}
