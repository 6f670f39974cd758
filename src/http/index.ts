export type {
  ApiName,
  Authenticate,
  Caller,
  CredentialRequest,
  CredentialRule,
  Endpoint,
  EndpointRequest,
  EndpointResponse,
  EndpointSpec,
  Provision,
} from './contract.ts';
export { defineEndpoint, NO_PARAMETERS } from './define-endpoint.ts';
export { ERROR_STATUSES } from './error-statuses.ts';
export type { ReadinessCheck } from './health.ts';
export { Int64 } from './int64.ts';
export { createMetrics, type Labels, type Metrics, type Sample } from './metrics.ts';
export { type Page, PageQuery, readPage } from './page.ts';
export { createHttpServer, type HttpServer, type HttpServerOptions } from './server.ts';
