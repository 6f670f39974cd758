import { type TObject, type TSchema, Type } from 'typebox';
import type { Endpoint, EndpointSpec } from './contract.ts';

/** For endpoints whose path or query has no parameters. */
export const NO_PARAMETERS = Type.Object({});

/** Closes an endpoint over its types: inside, the handler sees what the schemas say; outside, all endpoints look alike. */
export function defineEndpoint<Params extends TObject, Query extends TObject, Body extends TSchema = TSchema>(
  spec: EndpointSpec<Params, Query, Body>,
): Endpoint {
  return spec as unknown as Endpoint;
}
