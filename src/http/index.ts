export { MOST_DEPTH } from './body/parse-body.ts';
export { measure, repeatedField, repetition } from './body/repeated-field.ts';
export type {
  ApiName,
  Authenticate,
  BodyCheck,
  Caller,
  CredentialRequest,
  Endpoint,
  EndpointSpec,
  InputRule,
} from './contract.ts';
export { defineEndpoint, NO_PARAMETERS } from './define-endpoint.ts';
export { ERROR_STATUSES } from './errors/error-statuses.ts';
export { Int64 } from './int64.ts';
export { createMetrics, type Metrics } from './operations/metrics.ts';
export type { Outgoing, OutgoingAnswer } from './outgoing/contract.ts';
export { createOutgoing } from './outgoing/create-outgoing.ts';
export { type Page, PageQuery, readPage, readTimes, TimesQuery } from './page.ts';
export { createRateLimiter, type RateLimiter } from './rate-limiter.ts';
export type { AllowsOrigin } from './server/cors.ts';
export { createHttpServer, type HttpServer, type HttpServerOptions } from './server/server.ts';
export { WorkspaceParam } from './workspace-param.ts';
