// Messages of HiveServer2 over HTTP: one struct in field 1 of a call, in field 0 of a reply. The driver's own classes
// read and write them.
import { Agent, type IncomingMessage, request } from 'node:http';
import { createRequire } from 'node:module';

/** What a driver writes for its types; only what is used here. */
interface Protocol {
  readMessageBegin(): { readonly fname: string; readonly mtype: number; readonly rseqid: number };
  readStructBegin(): void;
  readFieldBegin(): void;
  writeMessageBegin(name: string, type: number, sequence: number): void;
  writeStructBegin(name: string): void;
  writeFieldBegin(name: string, type: number, id: number): void;
  writeFieldEnd(): void;
  writeFieldStop(): void;
  writeStructEnd(): void;
  writeMessageEnd(): void;
}

interface Transport {
  flush(): void;
}

interface ThriftLibrary {
  readonly TBinaryProtocol: new (transport: Transport) => Protocol;
  readonly TFramedTransport: new (bytes: Buffer) => Transport;
  readonly TBufferedTransport: new (bytes: undefined, written: (bytes: Buffer) => void) => Transport;
}

const sdk = createRequire(createRequire(import.meta.url).resolve('@databricks/sql'));
const thrift = sdk('thrift') as ThriftLibrary;
export const T = sdk(
  '@databricks/sql/thrift/TCLIService_types.js',
) as typeof import('@databricks/sql/thrift/TCLIService_types.js');

/** The driver's 64-bit integers. */
export interface Int64 {
  readonly buffer: Buffer;
  readonly offset?: number;
  toNumber(mayBeInexact?: boolean): number;
}

const Int64 = sdk('node-int64') as new (value: number) => Int64;

export function makeInt64(value: number): Int64 {
  return new Int64(value);
}

/** Of thrift's protocol. */
const CALL = 1;
const REPLY = 2;
const STRUCT = 12;

/** What every generated class can, though its declaration does not say so. */
interface Struct {
  read(protocol: Protocol): void;
  write(protocol: Protocol): void;
}

export type StructOf<Body extends object> = new () => Body;

export interface Head {
  readonly name: string;
  readonly sequence: number;
}

export function readHead(bytes: Buffer): Head {
  const { fname, rseqid } = protocolOf(bytes).readMessageBegin();
  return { name: fname, sequence: rseqid };
}

/** Undefined: the message is an exception of the protocol itself. */
export function decode<Body extends object>(bytes: Buffer, Type: StructOf<Body>): Body | undefined {
  const protocol = protocolOf(bytes);
  if (protocol.readMessageBegin().mtype > REPLY) return undefined;
  protocol.readStructBegin();
  protocol.readFieldBegin();
  const body = new Type();
  (body as unknown as Struct).read(protocol);
  return body;
}

export function encodeReply(head: Head, body: object): Buffer {
  return encode(head, REPLY, body);
}

function protocolOf(bytes: Buffer): Protocol {
  return new thrift.TBinaryProtocol(new thrift.TFramedTransport(bytes));
}

function encode({ name, sequence }: Head, type: number, body: object): Buffer {
  const written: Buffer[] = [];
  const transport = new thrift.TBufferedTransport(undefined, (bytes) => written.push(bytes));
  const protocol = new thrift.TBinaryProtocol(transport);
  protocol.writeMessageBegin(name, type, sequence);
  protocol.writeStructBegin('');
  protocol.writeFieldBegin('', STRUCT, type === CALL ? 1 : 0);
  (body as Struct).write(protocol);
  protocol.writeFieldEnd();
  protocol.writeFieldStop();
  protocol.writeStructEnd();
  protocol.writeMessageEnd();
  transport.flush();
  return Buffer.concat(written);
}

/** The answer of Spark that is no reply: handed on as it is. */
export class Refused extends Error {
  readonly bytes: Buffer;

  constructor(name: string, bytes: Buffer) {
    super(`${name} failed in Spark.`);
    this.bytes = bytes;
  }
}

export interface Upstream {
  /** A message as the driver wrote it. */
  post(bytes: Buffer): Promise<Buffer>;
  /** One of ours; throws Refused. */
  ask<Answer extends object>(name: string, body: object, Type: StructOf<Answer>): Promise<Answer>;
}

export function openUpstream(port: number): Upstream {
  const agent = new Agent({ keepAlive: true });
  const authorization = `Basic ${Buffer.from('gateway:none').toString('base64')}`;
  const post = async (bytes: Buffer) => {
    const headers = { 'content-type': 'application/x-thrift', 'content-length': bytes.length, authorization };
    const target = { agent, host: '127.0.0.1', port, path: '/cliservice', method: 'POST', headers };
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      request(target, resolve).on('error', reject).end(bytes);
    });
    const body = await readAll(answer);
    if (answer.statusCode !== 200) throw new Error(`Spark answered HTTP ${answer.statusCode}.`);
    return body;
  };
  return {
    post,
    async ask(name, body, Type) {
      const bytes = await post(encode({ name, sequence: 0 }, CALL, body));
      const answer = decode(bytes, Type);
      if (answer === undefined) throw new Refused(name, bytes);
      return answer;
    },
  };
}

export async function readAll(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
}
