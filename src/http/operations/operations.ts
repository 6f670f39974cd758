import { Type } from 'typebox';
import { AppError } from '../../kernel/index.ts';
import type { Endpoint } from '../contract.ts';
import { defineEndpoint, NO_PARAMETERS } from '../define-endpoint.ts';
import type { Readiness } from './health.ts';

interface Operations {
  readonly readiness: () => Promise<Readiness>;
  readonly metricsPage: () => Promise<{ readonly contentType: string; readonly text: string }>;
  readonly openApi: () => unknown;
  /** Tells whether a client of this address may read the metrics, which name workspaces and pipelines. */
  readonly mayReadMetrics: (address: string) => boolean;
}

const common = {
  api: 'operations',
  method: 'GET',
  credential: 'none',
  tag: 'Operations',
  params: NO_PARAMETERS,
  query: NO_PARAMETERS,
} as const;

const closed = { additionalProperties: false } as const;

const READINESS = Type.Object(
  {
    status: Type.Union([Type.Literal('ready'), Type.Literal('not_ready')]),
    checks: Type.Array(
      Type.Object({ name: Type.String(), ok: Type.Boolean(), reason: Type.Optional(Type.String()) }, closed),
    ),
  },
  { title: 'Readiness', ...closed },
);

/** Returns the endpoints for an operator's tools, without credentials. Metrics are served only to allowed networks. */
export function operationsEndpoints({
  readiness,
  metricsPage,
  openApi,
  mayReadMetrics,
}: Operations): readonly Endpoint[] {
  return [
    defineEndpoint({
      ...common,
      path: '/healthz',
      operationId: 'getHealth',
      summary: 'Check liveness',
      description: 'Answers while the process is alive, without asking the store.',
      responses: { 200: Type.Object({ status: Type.Literal('alive') }, closed) },
      handler: async () => ({ status: 200, body: { status: 'alive' } }),
    }),
    defineEndpoint({
      ...common,
      path: '/readyz',
      operationId: 'getReadiness',
      summary:
        'Whether the daemon can work: the store is reachable and migrated, the job queue runs, and no shutdown is in progress; with the reasons',
      responses: { 200: READINESS, 503: READINESS },
      handler: async () => {
        const body = await readiness();
        return { status: body.status === 'ready' ? 200 : 503, body };
      },
    }),
    metricsEndpoint({ metricsPage, mayReadMetrics }),
    defineEndpoint({
      ...common,
      path: '/openapi.json',
      operationId: 'getOpenApi',
      summary: 'Get the OpenAPI document',
      description: 'OpenAPI 3.1 description of this API.',
      responses: { 200: Type.Object({}, { additionalProperties: true }) },
      handler: async () => ({ status: 200, body: openApi() }),
    }),
  ];
}

function metricsEndpoint({
  metricsPage,
  mayReadMetrics,
}: Pick<Operations, 'metricsPage' | 'mayReadMetrics'>): Endpoint {
  return defineEndpoint({
    ...common,
    path: '/metrics',
    operationId: 'getMetrics',
    summary: 'Get metrics',
    description: 'Metrics in the Prometheus text format.',
    responses: { 200: Type.String() },
    refusals: { 403: 'The address of the caller is not in PENSTOCK_METRICS_FROM.' },
    handler: async ({ address }) => {
      if (!mayReadMetrics(address)) {
        throw new AppError('FORBIDDEN', `${address} may not read metrics; add it to PENSTOCK_METRICS_FROM.`);
      }
      const { contentType, text } = await metricsPage();
      return { status: 200, body: text, headers: { 'content-type': contentType } };
    },
  });
}
