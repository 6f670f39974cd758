import type { TObject } from 'typebox';
import { compileSchema, type Issue, type Json, refuse, type SchemaCheck } from '../../kernel/index.ts';
import type { ApiName, Endpoint } from '../contract.ts';
import { assertStatesClosedness } from './assert-closedness.ts';
import { coerceParameters, type RawParameters, refuseUnknown } from './coerce-parameters.ts';

/** Size above which the first issue of a body is enough. */
const THOROUGH_BYTES = 256 * 1024;

const MOST_ISSUES = 50;
/** Number of issues that are counted; beyond it the walk through a body ends. */
const MOST_COUNTED = 10 * MOST_ISSUES;

/**
 * APIs that refuse an unknown query parameter: a misspelt filter would widen a list or an export of personal data.
 * Clients of the other APIs send more than is documented.
 */
const CLOSED_QUERIES: ReadonlySet<ApiName> = new Set(['platform_v1', 'platform_v2']);

export function refusesUnknownParameters({ api }: Pick<Endpoint, 'api'>): boolean {
  return CLOSED_QUERIES.has(api);
}

type Parameters = Readonly<Record<string, unknown>>;

export interface RequestValidator {
  /** Returns the values of path and query, coerced and defaulted. Throws VALIDATION_FAILED with all issues of both. */
  parameters(params: RawParameters, query: RawParameters): { readonly params: Parameters; readonly query: Parameters };
  /** Returns the body as sent, without the endpoint's ignored fields. Throws VALIDATION_FAILED. */
  body(value: Json, sizeBytes: number): Json;
}

export function requestValidator(endpoint: Endpoint): RequestValidator {
  const params = parameterCheck(endpoint.params);
  const query = parameterCheck(endpoint.query);
  const isClosed = refusesUnknownParameters(endpoint);
  const isOurs = endpoint.body !== undefined && endpoint.bodyCheck === undefined;
  const body = isOurs ? bodyCheck(endpoint) : undefined;
  return {
    parameters(rawParams, rawQuery) {
      const fromPath = params(rawParams);
      const fromQuery = query(rawQuery);
      const unknown = isClosed ? refuseUnknown(endpoint.query, rawQuery) : [];
      throwIssues([...fromPath.issues, ...unknown, ...fromQuery.issues]);
      return { params: fromPath.values, query: fromQuery.values };
    },
    body(value, sizeBytes) {
      const kept = withoutFields(value, endpoint.ignoredFields ?? []);
      throwIssues(body?.(kept, sizeBytes <= THOROUGH_BYTES ? MOST_COUNTED : 1) ?? []);
      return kept;
    },
  };
}

function bodyCheck({ body = {}, method, path }: Endpoint): SchemaCheck {
  assertStatesClosedness(body, `the body of ${method} ${path}`);
  return compileSchema(body);
}

/** Outcome for an endpoint without parameters. */
const NO_PARAMETERS_SENT: Checked = { values: {}, issues: [] };

interface Checked {
  readonly values: Parameters;
  readonly issues: readonly Issue[];
}

function parameterCheck(schema: TObject): (raw: RawParameters) => Checked {
  if (Object.keys(schema.properties ?? {}).length === 0) return () => NO_PARAMETERS_SENT;
  const check = compileSchema(schema);
  return (raw: RawParameters) => {
    const { values, issues } = coerceParameters(schema, raw);
    const wrong = new Set(issues.map(({ path }) => path));
    const others = check(values, MOST_COUNTED).filter(({ path }) => !wrong.has(path));
    return { values, issues: [...issues, ...others] };
  };
}

function withoutFields(value: Json, names: readonly string[]): Json {
  if (names.length === 0 || typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
}

function throwIssues(issues: readonly Issue[]): void {
  if (issues.length === 0) return;
  const rest = issues.length - MOST_ISSUES;
  if (rest <= 0) throw refuse(issues);
  throw refuse([...issues.slice(0, MOST_ISSUES), { path: '', message: `and at least ${rest} more` }]);
}
