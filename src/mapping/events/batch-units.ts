import type { BatchSource, BatchToKeep } from '../../events/index.ts';
import { msOfMicros } from '../../kernel/index.ts';
import type { Refusal } from '../cells/refusal.ts';
import type { RowTime } from '../range/row-time.ts';
import { type Head, isSameHead } from './compile-head.ts';

/** Most events of a batch. The size in bytes is bounded too (D-031). Very large batches would be slow to read. */
const BATCH_EVENTS = 100;
/** Bytes that log and batch add around head and events: keys, an MPID, a batch id and a time. */
const FRAME_BYTES = 128;
const BYTES_PER_CHAR = 3;

export interface MappedEvent extends RowTime {
  readonly head: Head;
  /** The event as JSON text. */
  readonly event: string;
}

/** A batch that may take more events. */
export interface OpenBatch {
  readonly head: Head;
  readonly events: string[];
  /** Upper bound for the bytes of the batch. */
  bytes: number;
  /** Times of the row with the newest time. */
  newest: RowTime;
}

/**
 * Returns the batch that has taken the event, or the reason why no batch can hold it.
 * The open batch takes it while their heads are equal and the bounds hold; otherwise a new batch begins.
 */
export function batchFor(mapped: MappedEvent, open: OpenBatch | undefined, batchBytes: number): OpenBatch | Refusal {
  const { head, event } = mapped;
  const room = batchBytes - FRAME_BYTES;
  if (open !== undefined && belongs(open, head) && hasRoom(open, event, room)) {
    open.events.push(event);
    open.newest = newerOf(open.newest, mapped);
    return open;
  }
  const bytes = boundedBytes(event, room) + boundedBytes(head.text, room);
  return bytes > room ? tooLarge(batchBytes) : { head, events: [event], bytes, newest: mapped };
}

function newerOf(one: RowTime, other: RowTime): RowTime {
  return other.time > one.time ? other : one;
}

function belongs({ head, events }: OpenBatch, next: Head): boolean {
  return events.length < BATCH_EVENTS && (head === next || isSameHead(head, next));
}

/**
 * Tells whether the event fits, and adds its bytes to the batch. Counting bytes reads the whole text, so they are counted only
 * where three a character may be too many.
 */
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

/** Returns the batch in the form to keep. */
export function batchOf({ head, events, newest }: OpenBatch, source: BatchSource): BatchToKeep {
  const { person, text, batchId } = head;
  const time = head.time ?? String(msOfMicros(newest.time));
  // joined, because a text in pieces keeps all of them alive as long as the chunk, and the collector copies each
  const whole = [text.slice(0, -1), text === '{}' ? TIME : NEXT_TIME, time, EVENTS, events.join(','), ']}'].join('');
  const batch = { person: { ...person, setAt: newest.setAt }, text: whole, source };
  return batchId === undefined ? batch : { ...batch, batchId: BigInt(batchId) };
}

const EVENTS = ',"events":[';
const TIME = '"timestamp_unixtime_ms":';
const NEXT_TIME = `,${TIME}`;

function tooLarge(batchBytes: number): Refusal {
  const reason = `The row alone makes a batch over ${batchBytes} bytes. Shorten its values in the model.`;
  return { rule: 'batch_too_large', field: '', value: null, reason };
}
