// Translates what web clients send beyond the batch format before a batch is validated, so that pages keep working
// unchanged (D-038): a page retries a refused batch again and again, and its later batches wait behind it. Only the web
// path uses it. A batch without such fields is returned as it is.
import { isRawNumber, type Json, stringifyJson } from '../../kernel/index.ts';
import type { SentBatch } from './accept-batches.ts';

type Fields = Readonly<Record<string, Json>>;

/** Pattern for texts that may need a translation; most batches need none. */
const MAYBE = /"(?:unknown|crash_report|sideloaded_kits_count|commerce_event)"/;

/** Translates a batch of a web client into the batch format. */
export function translateWebBatch(sent: SentBatch): SentBatch {
  if (!MAYBE.test(sent.text) || !isObject(sent.body)) return sent;
  const body = translateBatch(sent.body);
  const text = stringifyJson(body);
  return text === stringifyJson(sent.body) ? sent : { body, text };
}

function translateBatch(batch: Fields): Fields {
  const { events, application_info: application } = batch;
  return {
    ...batch,
    ...(Array.isArray(events) && { events: events.map((event) => (isObject(event) ? translateEvent(event) : event)) }),
    ...(isObject(application) && { application_info: without(application, 'sideloaded_kits_count') }),
  };
}

function translateEvent(event: Fields): Fields {
  const { event_type: kind, data } = event;
  if (!isObject(data)) return event;
  if (kind === 'custom_event') return { ...event, data: changeField(data, 'custom_event_type', otherForUnknown) };
  // logError() sends no severity, which the format requires and allows to be null.
  if (kind === 'crash_report') return { ...event, data: { severity: null, ...data } };
  if (kind === 'commerce_event') return { ...event, data: translateCommerce(data) };
  return event;
}

/** Returns `other` for `unknown`, the type of an event that was logged without one. */
const otherForUnknown = (type: Json): Json => (type === 'unknown' ? 'other' : type);

/** Turns ids, names and attributes of products into text, because pages may send numbers. */
function translateCommerce(data: Fields): Fields {
  return COMMERCE_CHANGES.reduce((fields, [name, change]) => changeField(fields, name, change), data);
}

const ofObject =
  (change: (fields: Fields) => Fields) =>
  (value: Json): Json =>
    isObject(value) ? change(value) : value;
const translateProductsOf = (fields: Fields): Fields => changeField(fields, 'products', translateProducts);
const COMMERCE_CHANGES: readonly (readonly [string, (value: Json) => Json])[] = [
  ['product_action', ofObject((action) => translateProductsOf(changeField(action, 'transaction_id', asText)))],
  ['shopping_cart', ofObject(translateProductsOf)],
  ['product_impressions', (impressions) => changeEach(impressions, translateProductsOf)],
  ['promotion_action', ofObject(translatePromotionAction)],
];

/** Actions by number: the one enumeration that the SDK sends as a number. */
const PROMOTION_ACTIONS: Readonly<Record<string, string>> = { 1: 'view', 2: 'click' };

function translatePromotionAction(fields: Fields): Fields {
  const named = changeField(fields, 'promotions', (list) => changeEach(list, idAndNameAsText));
  return changeField(named, 'action', (action) => PROMOTION_ACTIONS[String(asText(action))] ?? action);
}

const translateProducts = (products: Json): Json => changeEach(products, translateProduct);

const idAndNameAsText = (item: Fields): Fields => changeField(changeField(item, 'id', asText), 'name', asText);

function translateProduct(product: Fields): Fields {
  return changeField(idAndNameAsText(product), 'custom_attributes', ofObject(attributesAsText));
}

/** Turns attributes into text and drops those that are null. */
function attributesAsText(attributes: Fields): Fields {
  const given = Object.entries(attributes).filter(([, value]) => value !== null);
  return Object.fromEntries(given.map(([name, value]) => [name, asText(value)]));
}

function asText(value: Json): Json {
  if (isRawNumber(value)) return value.rawJSON;
  return typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean' ? String(value) : value;
}

/** Changes each object of a list. */
function changeEach(list: Json, change: (item: Fields) => Fields): Json {
  return Array.isArray(list) ? list.map((item) => (isObject(item) ? change(item) : item)) : list;
}

/** Changes a field if the object has it. */
function changeField(fields: Fields, name: string, change: (value: Json) => Json): Fields {
  const value = fields[name];
  return value === undefined ? fields : { ...fields, [name]: change(value) };
}

function without(fields: Fields, name: string): Fields {
  const { [name]: _, ...rest } = fields;
  return rest;
}

function isObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isRawNumber(value);
}
