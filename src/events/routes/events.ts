import { type TObject, Type } from 'typebox';
import type { SettingsReader } from '../../access/index.ts';
import {
  type Caller,
  defineEndpoint,
  type Endpoint,
  NO_PARAMETERS,
  repeatedField,
  repetition,
} from '../../http/index.ts';
import { AppError, itemAt, type Json, refuse, type WorkspaceId } from '../../kernel/index.ts';
import type { BatchSender, SentBatch } from '../accept/accept-batches.ts';
import { acceptBulk, type BulkDeps } from '../accept/accept-bulk.ts';
import { itemTexts } from '../accept/json-text.ts';
import type { BatchOrigin } from '../accept/kept-text.ts';
import { translateWebBatch } from '../accept/translate-web-batch.ts';
import { EventBatch, SOME_BATCH } from '../contract/batch.ts';

export interface IngestDeps extends BulkDeps {
  readonly settingsOf: SettingsReader;
}

/** The most batches of one bulk request (D-030). */
const MOST_BATCHES = 100;

const SHARED = {
  api: 'events',
  method: 'POST',
  tag: 'Events',
  query: NO_PARAMETERS,
  bodyCheck: 'handler',
  responses: { 202: Type.Null({ description: 'Empty body. The valid batches are stored durably.' }) },
} as const;

const RATE = {
  429: 'The workspace sends more batches per second than its settings allow, or too many batches are waiting to be stored; Retry-After gives the seconds to wait.',
};

/** Returns the endpoints for event batches: one, many, and as web clients post them (D-030, D-038). */
export function ingestEndpoints(deps: IngestDeps): readonly Endpoint[] {
  return [
    single(deps, {
      path: '/v2/events',
      credential: 'input_events',
      params: NO_PARAMETERS,
      operationId: 'sendEvents',
      summary: 'Upload an event batch',
      description: 'Answers after the batch is stored durably.',
      channel: 'server_to_server',
    }),
    single(deps, {
      path: '/v3/JS/:key/events',
      aliases: ['/webevents/v3/JS/:key/events'],
      credential: 'input_web_events',
      params: Type.Object({ key: Type.String() }),
      operationId: 'sendWebEvents',
      summary: 'Upload an event batch from a web client',
      description: 'Identifies the client by the key alone.',
      plainText: true,
      channel: 'javascript',
    }),
    bulk(deps, {
      path: '/v2/bulkevents',
      operationId: 'sendBulkEvents',
      summary: 'Upload event batches',
      description: 'Up to 100 batches. Valid batches are kept; the others are recorded as rejected.',
      isHistorical: false,
    }),
    bulk(deps, {
      path: '/v2/bulkevents/historical',
      operationId: 'sendHistoricalEvents',
      summary: 'Upload historical event batches',
      description: 'Up to 100 batches of past events. Marks them as historical.',
      isHistorical: true,
    }),
  ];
}

interface SinglePath extends Pick<BatchOrigin, 'channel'> {
  readonly path: string;
  readonly aliases?: readonly string[];
  readonly credential: 'input_events' | 'input_web_events';
  readonly params: TObject;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly plainText?: boolean;
}

function single({ batches, settingsOf, recordRejections }: IngestDeps, { channel, ...path }: SinglePath): Endpoint {
  return defineEndpoint({
    ...SHARED,
    ...path,
    body: EventBatch,
    // the body is the batch, so the smaller bound counts
    bodyLimitBytes: async (workspaceId: WorkspaceId) => (await settingsOf(workspaceId)).limits.batchBytes,
    refusals: RATE,
    async handler({ body, bodyText, caller }) {
      const sender = senderOf(caller, { channel, isHistorical: false });
      const sent = { body, text: bodyText };
      const batch = channel === 'javascript' ? translateWebBatch(sent) : sent;
      const { outcomes, rateUsedPercent } = await batches.accept(sender, [batch]);
      const [outcome] = outcomes;
      if (outcome?.status === 'rejected') {
        if (!sender.isPublic || !isRejectedForMpid(outcome)) throw refuse(outcome.issues);
        const { workspaceId, key } = sender;
        const rejections = [{ text: batch.text, issues: outcome.issues }];
        await recordRejections({ workspaceId, key, path: path.path, rejections });
      }
      return accepted(rateUsedPercent);
    },
  });
}

/** Tells whether a batch was rejected for its MPID. Such an answer would tell anybody with a page's key which MPIDs exist. */
function isRejectedForMpid({ rule }: { readonly rule?: string }): boolean {
  return rule === 'mpid_unknown' || rule === 'mpid_contradicts_login';
}

interface BulkPath extends Pick<BatchOrigin, 'isHistorical'> {
  readonly path: string;
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
}

function bulk(deps: IngestDeps, { isHistorical, ...path }: BulkPath): Endpoint {
  return defineEndpoint({
    ...SHARED,
    bodyCheck: 'items',
    ...path,
    credential: 'input_events',
    params: NO_PARAMETERS,
    body: Type.Array(EventBatch, { maxItems: MOST_BATCHES, examples: [[SOME_BATCH]] }),
    bodyLimitBytes: async (workspaceId: WorkspaceId) => (await deps.settingsOf(workspaceId)).limits.requestBytes,
    refusals: RATE,
    async handler({ body, bodyText, hasRepeatedField, caller }) {
      const sender = senderOf(caller, { channel: 'server_to_server', isHistorical });
      const sent = sentBatches(body, bodyText).map((batch) => (hasRepeatedField ? withRepetition(batch) : batch));
      return accepted(await acceptBulk(deps, { sender, path: path.path, sent }));
    },
  });
}

function sentBatches(body: Json, text: string): readonly SentBatch[] {
  if (!Array.isArray(body)) throw refuse([{ path: '', message: 'must be a list of event batches' }]);
  if (body.length > MOST_BATCHES) {
    const message = `has ${body.length} batches; at most ${MOST_BATCHES} are allowed in one request`;
    throw refuse([{ path: '', message }]);
  }
  const texts = itemTexts(text);
  return body.map((batch: Json, index) => ({ body: batch, text: itemAt(texts, index) }));
}

/** Adds an issue to a batch in which a field is given twice. */
function withRepetition(batch: SentBatch): SentBatch {
  const path = repeatedField(batch.text, batch.body);
  return path === undefined ? batch : { ...batch, issues: [repetition(path)] };
}

function senderOf({ workspaceId, input }: Caller, origin: BatchOrigin): BatchSender {
  if (input === undefined)
    throw new AppError('INTERNAL', 'A call of the events API arrived without the key of an input.');
  return { workspaceId, key: input.key, isPublic: input.means === 'key_only', ...origin };
}

const accepted = (rateUsedPercent: number) => ({
  status: 202,
  headers: { 'x-mp-rate-limit-percentage-used': String(Math.round(rateUsedPercent)) },
});
