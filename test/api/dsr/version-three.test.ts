// 001, Create-request body version 3 to Discovery response, row by row.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bodyThree, type DsrApi, openDsrApi } from '../../support/dsr-api.ts';

const REQUESTS = '/dsr/v3/requests';

let api: DsrApi;
beforeAll(async () => {
  api = await openDsrApi();
});
afterAll(() => api[Symbol.asyncDispose]());

describe('POST /requests/', () => {
  it('answers 201 with when it came, when it will be over, and the request in base64', async () => {
    const body = bodyThree();
    const { status, body: answer } = await api.post(`${REQUESTS}/`, body);
    expect(status).toBe(201);
    expect(answer).toEqual({
      // received at noon of the 15th: 7 days, 48 hours, and on to midnight
      expected_completion_time: '2026-01-25T00:00:00.000Z',
      received_time: '2026-01-15T12:00:00.000Z',
      encoded_request: Buffer.from(JSON.stringify(body)).toString('base64'),
      subject_request_id: body.subject_request_id,
      controller_id: String(api.workspaceId),
    });
  });
});
