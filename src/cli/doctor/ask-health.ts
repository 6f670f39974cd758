import { request as overHttp } from 'node:http';
import { request as overTls } from 'node:https';
import type { Config } from '../../config.ts';

const ANSWER_MS = 2000;

/**
 * Tells whether a Penstock daemon answers `/healthz` at the configured address.
 * Does not check the certificate: the request goes to the address, and the certificate bears the public name.
 */
export function answersHealth({ host, port, tls }: Config['http']): Promise<boolean> {
  const options = { host, port, path: '/healthz', timeout: ANSWER_MS };
  return new Promise((resolve) => {
    const asked = tls === undefined ? overHttp(options) : overTls({ ...options, rejectUnauthorized: false });
    asked.once('response', (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    });
    asked.once('timeout', () => asked.destroy(new Error('no answer in time')));
    asked.once('error', () => resolve(false));
    asked.end();
  });
}
