// Spark and the gateway before it as one process to start and to stop: `node host.ts INSTALLED FOLDER PORT SPARK_PORT`,
// the token in PENSTOCK_TEST_TOKEN. Ends when either ends.
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startGateway } from './gateway.ts';
import { startSpark } from './spark.ts';
import { PASSPHRASE } from './tls.ts';

const [installed = '', folder = '', port = '', sparkPort = ''] = process.argv.slice(2);
const spark = startSpark({ installed, folder, port: Number(sparkPort) });
spark.on('error', end);
spark.on('exit', (code, signal) => end(new Error(`Spark ended with ${code ?? signal}.`)));
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => spark.kill('SIGTERM'));

while (!(await isListening(Number(sparkPort)))) await sleep(100);
await startGateway({
  sparkPort: Number(sparkPort),
  port: Number(port),
  token: process.env.PENSTOCK_TEST_TOKEN ?? '',
  pfx: readFileSync(join(folder, 'tls.p12')),
  passphrase: PASSPHRASE,
});

function end(reason: Error): void {
  process.stderr.write(`${reason.message}\n`);
  process.exit(1);
}

function isListening(wanted: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(wanted, '127.0.0.1', () => resolve(true));
    socket.on('error', () => resolve(false)).on('connect', () => socket.destroy());
  });
}
