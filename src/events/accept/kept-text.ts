import { stringifyJson } from '../../kernel/index.ts';
import type { EventBatch } from '../contract/batch.ts';
import { onOneLine, withoutFields } from './json-text.ts';

/** The origin of a batch: its `source_info` where the sender gives none (D-029). */
export interface BatchOrigin {
  readonly channel: 'server_to_server' | 'javascript';
  readonly isHistorical: boolean;
}

/** Fields that the log itself writes in front. */
const OF_THE_LOG = ['mpid', 'batch_id'] as const;

/**
 * Returns a valid batch as the log keeps it (`BatchToKeep.text`): the sender's own text on one line. Adds `environment` and
 * `source_info` where they are absent.
 */
export function keptText(batch: EventBatch, text: string, origin: BatchOrigin): string {
  const added = addedFields(batch, origin);
  const removed = [...OF_THE_LOG, ...Object.keys(added)].filter((name) => Object.hasOwn(batch, name));
  const line = onOneLine(text.trim());
  const own = removed.length === 0 ? line : withoutFields(line, removed);
  const front = stringifyJson(added);
  if (front === '{}') return own;
  return own.slice(1).trim() === '}' ? front : `${front.slice(0, -1)},${own.slice(1)}`;
}

function addedFields({ environment, source_info: given }: EventBatch, { channel, isHistorical }: BatchOrigin) {
  const historical = isHistorical ? { is_historical: true } : {};
  // The sender's own fields win, but the path alone can tell that a batch is historical.
  const isComplete =
    given !== null && given !== undefined && (!isHistorical || typeof given.is_historical === 'boolean');
  return {
    ...(environment === undefined && { environment: 'production' }),
    ...(!isComplete && { source_info: { channel, ...given, ...historical } }),
  };
}
