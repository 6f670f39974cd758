import type { Socket } from 'node:net';
import { describe, expect, it } from 'vitest';
import { redshift } from '../../../connectors/redshift/index.ts';
import { type Behave, int32, openFakePostgres, says } from '../../support/fakes/fake-postgres.ts';
import { warehouseEnvironment } from '../../support/fakes/warehouse-environment.ts';
import { NEVER, requestOf } from '../reading.ts';

const LOGIN = [says.authentication(0), says.keys(), says.ready()];

function closing(act: (socket: Socket) => unknown): Behave {
  return (_, socket) => {
    act(socket);
    return [];
  };
}

function openOn(port: number, more: object = {}, decided: object = {}) {
  const config = {
    host: '127.0.0.1',
    port: String(port),
    database: 'd',
    user: 'u',
    password: 'p4ssw0rd',
    sslmode: 'disable',
    ...more,
  };
  return redshift.open(config, warehouseEnvironment(decided), NEVER);
}

async function failureOf(behave: Behave, more: object = {}): Promise<Error> {
  await using server = await openFakePostgres(behave);
  await using session = await openOn(server.port, more);
  const failure = await session.read(requestOf('SELECT 1'), NEVER).then(
    () => undefined,
    (thrown: Error) => thrown,
  );
  if (failure === undefined) throw new Error('It was read all the same.');
  return failure;
}

describe('a server that', () => {
  it('asks for a way to sign in that the driver does not know is a fault, not the end of the process', async () => {
    const failure = await failureOf(({ type }) => (type === 'startup' ? [says.authentication(13, int32(0))] : []));
    expect(failure).toMatchObject({
      code: 'WAREHOUSE_CREDENTIALS',
      message: expect.stringContaining('IAM Identity Center'),
    });
  });

  it.each<readonly [string, Behave, string]>([
    ['refuses the password', () => [says.error('28P01', 'password authentication failed')], 'WAREHOUSE_CREDENTIALS'],
    ['is starting up', () => [says.error('57P03', 'the database system is starting up')], 'WAREHOUSE_UNREACHABLE'],
    ['has no connection left', () => [says.error('53300', 'sorry, too many clients already')], 'WAREHOUSE_THROTTLED'],
    ['hangs up', closing((socket) => socket.destroy()), 'WAREHOUSE_SESSION_LOST'],
    ['hangs up in order', closing((socket) => socket.end()), 'WAREHOUSE_SESSION_LOST'],
    [
      'sends a SCRAM that is none',
      () => [says.authentication(10, Buffer.from('X-UNKNOWN\0\0'))],
      'WAREHOUSE_CREDENTIALS',
    ],
  ])('%s', async (_, behave, code) => {
    const failure = await failureOf(behave);
    expect(failure).toMatchObject({ code });
    expect(JSON.stringify([failure.message, failure.cause])).not.toContain('p4ssw0rd');
  });

  it('dies in the middle of a session is met by the next question', async () => {
    const failure = await failureOf(({ type }, socket) => {
      if (type === 'startup') return LOGIN;
      socket.resetAndDestroy();
      return [];
    });
    expect(failure).toMatchObject({ disposition: 'retry' });
  });

  it('writes what no protocol knows does not end the process', async () => {
    const failure = await failureOf(({ type }) => (type === 'startup' ? LOGIN : [says.brokenRow()]));
    expect(failure).toMatchObject({ code: 'WAREHOUSE_UNKNOWN', cause: expect.any(RangeError) });
  });

  it.each([
    ['before anybody signed in', 'startup'],
    ['as a row', 'Q'],
  ])('sends a message of 2 GB %s is cut off where it says so', async (_, when) => {
    let sent = 0;
    const flood = (socket: Socket) => {
      socket.write(Buffer.concat([Buffer.from('D'), int32(2_000_000_000)]));
      const more = () => {
        while (!socket.destroyed && socket.write(Buffer.alloc(1 << 20))) sent = socket.bytesWritten;
      };
      socket.on('drain', more);
      more();
    };
    await using server = await openFakePostgres(({ type }, socket) => {
      if (type === when) flood(socket);
      return type === 'startup' && when !== 'startup' ? LOGIN : [];
    });
    await using session = await openOn(server.port);
    await expect(session.read(requestOf('SELECT 1'), NEVER)).rejects.toMatchObject({
      code: 'WAREHOUSE_DATA',
      message: expect.stringMatching(/2000000000 bytes.*PENSTOCK_WAREHOUSE_MESSAGE_MB/),
    });
    expect(sent).toBeLessThan(16 << 20);
  });

  it('sends headers in pieces is followed all the same', async () => {
    const large = Buffer.concat([says.complete('SELECT'), Buffer.from('D'), int32(2_000_000_000)]);
    const failure = await failureOf(({ type }, socket) => {
      if (type === 'startup') return LOGIN;
      const pieces = [...large].map((byte) => Buffer.from([byte]));
      for (const piece of pieces) socket.write(piece);
      return [];
    });
    expect(failure).toMatchObject({ code: 'WAREHOUSE_DATA' });
  });

  it('says nothing any more is given up when its time is over', async () => {
    await using server = await openFakePostgres(({ type }) => (type === 'startup' ? LOGIN : []));
    await using session = await openOn(server.port, {}, { statementTimeoutMs: 500 });
    await expect(session.read(requestOf('SELECT 1'), NEVER)).rejects.toMatchObject({ disposition: 'retry' });
  });

  it('has no TLS is refused where TLS is asked for, with the setting that changes it', async () => {
    const failure = await failureOf(
      closing((socket) => socket.write('N')),
      { sslmode: 'require' },
    );
    expect(failure).toMatchObject({ code: 'WAREHOUSE_CONFIG', message: expect.stringContaining('config.sslmode') });
  });

  it('answers nothing is given up when the caller does', async () => {
    await using server = await openFakePostgres(() => []);
    await using session = await openOn(server.port);
    const stop = new AbortController();
    const reading = session.read(requestOf('SELECT 1'), stop.signal);
    setTimeout(() => stop.abort(), 50);
    await expect(reading).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  it('is not there says so in the probe', async () => {
    const server = await openFakePostgres(() => []);
    await server[Symbol.asyncDispose]();
    await using session = await openOn(server.port);
    expect(await session.probe(NEVER)).toMatchObject([
      { name: 'reach', status: 'failed', message: expect.stringContaining('ECONNREFUSED') },
      ...['tls', 'sign_in', 'use_objects', 'read'].map((name) => ({ name, status: 'skipped' })),
    ]);
  });
});
