import type { BatchToKeep } from '../../events/index.ts';
import { type Micros, msOfMicros } from '../../kernel/index.ts';
import { type Head, isSameHead } from './compile-head.ts';
import type { Refusal } from './refusal.ts';

/** Rulings §2 bounds a batch in bytes; a batch that grows without end would be slow to read. */
const BATCH_EVENTS = 100;
/** What the log and the batch put around head and events: keys, an MPID, a batch id and a time. */
const FRAME_BYTES = 128;
const BYTES_PER_CHAR = 3;

/** Rows become batches in order; each batch is closed before the next begins. */
export interface BatchBuilder {
  /** Takes the event of a row: into the batch that is open where it belongs there, else into a new one. */
  add(head: Head, event: string, time: Micros): Refusal | undefined;
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
  const room = batchBytes - FRAME_BYTES;
  let open: OpenBatch | undefined;
  let rows = 0;
  const close = () => {
    if (open === undefined) return;
    batches.push(batchOf(open));
    starts.push(rows);
  };
  return {
    add(head, event, time) {
      if (open === undefined || !belongs(open, head) || !hasRoom(open, event, room)) {
        const bytes = boundedBytes(event, room) + boundedBytes(head.text, room);
        if (bytes > room) return tooLarge(batchBytes);
        close();
        open = { head, events: [], bytes, newest: time };
      }
      open.events.push(event);
      if (time > open.newest) open.newest = time;
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

/** Bytes are counted only where three a character may be too many: counting reads the whole text. Takes the room. */
function hasRoom(open: OpenBatch, event: string, room: number): boolean {
  const most = open.bytes + event.length * BYTES_PER_CHAR + 1;
  if (most <= room) {
    open.bytes = most;
    return true;
  }
  open.bytes = open.events.reduce((sum, text) => sum + Buffer.byteLength(text) + 1, Buffer.byteLength(open.head.text));
  const exact = open.bytes + Buffer.byteLength(event) + 1;
  if (exact <= room) open.bytes = exact;
  return exact <= room;
}

function boundedBytes(text: string, room: number): number {
  const most = text.length * BYTES_PER_CHAR;
  return most * 2 <= room ? most : Buffer.byteLength(text);
}

function batchOf({ head, events, newest }: OpenBatch): BatchToKeep {
  const { person, text, batchId } = head;
  const time = head.time ?? String(msOfMicros(newest));
  // joined: a text in pieces keeps all of them alive as long as the chunk, and the collector copies each
  const whole = [text.slice(0, -1), text === '{}' ? TIME : NEXT_TIME, time, EVENTS, events.join(','), ']}'].join('');
  const batch = { person: { ...person, setAt: newest }, text: whole };
  return batchId === undefined ? batch : { ...batch, batchId: BigInt(batchId) };
}

const EVENTS = ',"events":[';
const TIME = '"timestamp_unixtime_ms":';
const NEXT_TIME = `,${TIME}`;

function tooLarge(batchBytes: number): Refusal {
  const reason = `The row alone makes a batch over ${batchBytes} bytes. Shorten its values in the model.`;
  return { rule: 'batch_too_large', field: '', value: null, reason };
}
