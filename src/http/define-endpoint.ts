import { type TObject, type TSchema, Type } from 'typebox';
import type { BodyCheck, Endpoint, EndpointSpec } from './contract.ts';

/** Schema for endpoints whose path or query has no parameters. */
export const NO_PARAMETERS = Type.Object({});

/**
 * Closes an endpoint over its types: inside, the handler has the types of the schemas; outside, all endpoints have one type.
 */
export function defineEndpoint<
  Params extends TObject,
  Query extends TObject,
  Body extends TSchema = TSchema,
  Check extends BodyCheck | undefined = undefined,
>(spec: EndpointSpec<Params, Query, Body, Check>): Endpoint {
  return spec as unknown as Endpoint;
}
