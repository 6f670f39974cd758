import type { BatchToKeep } from '../../events/index.ts';
import { type Micros, msOfMicros } from '../../kernel/index.ts';
import { type Head, isSameHead } from './compile-head.ts';
import type { Refusal } from './refusal.ts';

/** Rulings §2 bounds a batch in bytes; a batch that grows without end would be slow to read. */
const BATCH_EVENTS = 100;
/** What the log and the batch put around head and events: keys, an MPID, a batch id and a time. */
const FRAME_BYTES = 128;
const BYTES_PER_CHAR = 3;

export interface MappedEvent {
  readonly head: Head;
  /** JSON text. */
  readonly event: string;
  readonly time: Micros;
}

/** Rows become batches in order; each batch is closed before the next begins. */
export interface BatchBuilder {
  /** Takes the event of a row: into the batch that is open where it belongs there, else into a new one. */
  add(mapped: MappedEvent): Refusal | undefined;
  /** All batches, and for each the number of rows before it, with the number of all rows at the end. */
  finish(): { readonly batches: readonly BatchToKeep[]; readonly starts: Int32Array };
}

interface OpenBatch {
  readonly head: Head;
  readonly events: string[];
  /** At least the bytes of the batch. */
  bytes: number;
  newest: Micros;
}

/** Rows that follow each other share a batch while what they say besides their events is equal, and it stays in bounds. */
export function createBatchBuilder(batchBytes: number): BatchBuilder {
  const batches: BatchToKeep[] = [];
  const starts: number[] = [0];
  let open: OpenBatch | undefined;
  let rows = 0;
  const close = () => {
    if (open === undefined) return;
    batches.push(batchOf(open));
    starts.push(rows);
  };
  return {
    add({ head, event, time }) {
      const room = batchBytes - FRAME_BYTES;
      const bytes = boundedBytes(event, room);
      if (open !== undefined && belongs(open, head) && open.bytes + bytes + 1 <= room) {
        open.events.push(event);
        open.bytes += bytes + 1;
        if (time > open.newest) open.newest = time;
      } else {
        const all = bytes + boundedBytes(head.text, room);
        if (all > room) return tooLarge(batchBytes);
        close();
        open = { head, events: [event], bytes: all, newest: time };
      }
      rows++;
      return undefined;
    },
    finish() {
      close();
      open = undefined;
      return { batches, starts: Int32Array.from(starts) };
    },
  };
}

function belongs({ head, events }: OpenBatch, next: Head): boolean {
  return events.length < BATCH_EVENTS && (head === next || isSameHead(head, next));
}

/** Bytes of the text; an upper bound where that cannot matter, because counting them reads the whole text. */
function boundedBytes(text: string, room: number): number {
  const most = text.length * BYTES_PER_CHAR;
  return most * BATCH_EVENTS <= room ? most : Buffer.byteLength(text);
}

function batchOf({ head, events, newest }: OpenBatch): BatchToKeep {
  const { person, text, batchId } = head;
  const time = head.time ?? String(msOfMicros(newest));
  const own = `"timestamp_unixtime_ms":${time},"events":[${events.join(',')}]}`;
  return {
    person: { ...person, setAt: newest },
    text: text === '{}' ? `{${own}` : `${text.slice(0, -1)},${own}`,
    ...(batchId === undefined ? {} : { batchId: BigInt(batchId) }),
  };
}

function tooLarge(batchBytes: number): Refusal {
  const reason = `The row alone makes a batch over ${batchBytes} bytes. Shorten its values in the model.`;
  return { rule: 'batch_too_large', field: '', value: null, reason };
}
