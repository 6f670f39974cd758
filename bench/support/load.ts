// A load generator in a process of its own: keep-alive sockets with one request each under way. It reads no more of an answer
// than its status and length, because it shares the processors with what it measures: 15 µs a request.
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { parseArgs } from 'node:util';
import { BULK_BATCHES, type LoadOrder, type LoadResult } from './load-shape.ts';

const { positionals } = parseArgs({ allowPositionals: true });
const order = JSON.parse(positionals[0] ?? '{}') as LoadOrder;
const TIME_MS = 1_750_000_000_000;

const event = (name: string, number: number) =>
  `{"event_type":"custom_event","data":{"custom_event_type":"navigation","event_name":"${name}","timestamp_unixtime_ms":${TIME_MS + number},"custom_attributes":{"plan":"gold","path":"/products/${number % 1000}","position":${number % 10}}}}`;

const batchOf = (person: number, number: number) =>
  `{"source_request_id":"${order.salt}-${number}","environment":"production","user_identities":{"customer_id":"customer-${person}","email":"user${person}@example.com"},"user_attributes":{"plan":"gold","visits":${number}},"ip":"10.1.2.3","timestamp_unixtime_ms":${TIME_MS + number},"events":[${event('Page', number)},${event('Search', number)},${event('Product', number)}]}`;

const BODIES: Readonly<Record<LoadOrder['kind'], (person: number, number: number) => string>> = {
  batch: batchOf,
  bulk: (_person, number) =>
    `[${Array.from({ length: BULK_BATCHES }, (_, i) => batchOf(randomInt(order.people), number * BULK_BATCHES + i)).join(',')}]`,
  identify: (person) =>
    `{"client_sdk":{"platform":"web","sdk_vendor":"bench","sdk_version":"1"},"environment":"production","request_id":"00000000-0000-4000-8000-000000000000","request_timestamp_ms":${TIME_MS},"known_identities":{"customerid":"customer-${person}","email":"user${person}@example.com"}}`,
};
const bodyOf = BODIES[order.kind];
const batchesEach = order.kind === 'bulk' ? BULK_BATCHES : 1;
const head = `POST ${order.path} HTTP/1.1\r\nHost: ${order.host}\r\nAuthorization: ${order.authorization}\r\nContent-Type: application/json\r\nContent-Length: `;

const times: number[] = [];
const refused: Record<string, number> = {};
let sent = 0;
let answered = 0;

function send(socket: Socket): void {
  const body = bodyOf(randomInt(order.people), sent++);
  socket.write(`${head}${body.length}\r\n\r\n${body}`, 'latin1');
}

/** Resolves with the status once the answer is whole. */
function answerOf(socket: Socket): Promise<number> {
  return new Promise((resolve, reject) => {
    let text = '';
    const take = (bytes: Buffer) => {
      text += bytes.toString('latin1');
      const end = text.indexOf('\r\n\r\n');
      if (end < 0) return;
      const length = Number(/content-length: (\d+)/i.exec(text)?.[1] ?? 0);
      if (text.length < end + 4 + length) return;
      socket.off('data', take);
      socket.off('close', gone);
      resolve(Number(text.slice(9, 12)));
    };
    const gone = () => reject(new Error('The server closed a connection.'));
    socket.on('data', take);
    socket.once('close', gone);
  });
}

async function run(socket: Socket, first: number, end: number): Promise<void> {
  const everyMs = order.perSecond === undefined ? 0 : (order.connections * 1000) / order.perSecond;
  for (let due = first; due < end; due = everyMs === 0 ? performance.now() : due + everyMs) {
    const early = due - performance.now();
    if (early > 0) await new Promise((resolve) => setTimeout(resolve, early));
    send(socket);
    const status = await answerOf(socket);
    times.push(performance.now() - due);
    if (status < 300) answered += batchesEach;
    else refused[status] = (refused[status] ?? 0) + 1;
  }
}

async function open(): Promise<Socket> {
  const socket = connect(order.port, order.host).setNoDelay(true);
  await once(socket, 'connect');
  return socket;
}

const sockets = await Promise.all(Array.from({ length: order.connections }, open));
const cpu = process.cpuUsage();
const start = performance.now();
const stepMs = order.perSecond === undefined ? 0 : 1000 / order.perSecond;
await Promise.all(sockets.map((socket, index) => run(socket, start + index * stepMs, start + order.seconds * 1000)));
const seconds = (performance.now() - start) / 1000;
for (const socket of sockets) socket.destroy();
const { user, system } = process.cpuUsage(cpu);
times.sort((left, right) => left - right);
const at = (share: number) => times[Math.floor(times.length * share)] ?? 0;
const result: LoadResult = {
  ...{ answered, refused, seconds, p50Ms: at(0.5), p99Ms: at(0.99), cpuMicros: user + system },
};
console.log(JSON.stringify(result));
