import { AppError, compileSchema } from '../../kernel/index.ts';
import type { Endpoint, EndpointResponse } from '../contract.ts';

const MOST_ISSUES = 10;

export type ResponseCheck = (response: EndpointResponse) => void;

/** Returns a check for tests, which throws where an answer does not fit its own contract. */
export function responseCheck({ responses, streams, method, path }: Endpoint): ResponseCheck {
  const checks = new Map(Object.entries(responses).map(([status, schema]) => [Number(status), compileSchema(schema)]));
  return ({ status, body, lines, file }) => {
    if ((lines ?? file) !== undefined && streams !== undefined && status === 200) return;
    const check = checks.get(status);
    if (check === undefined) throw new AppError('INTERNAL', `${method} ${path} answers an undeclared ${status}.`);
    const issues = body === undefined ? [] : check(body, MOST_ISSUES);
    if (issues.length === 0) return;
    const text = issues.map((issue) => `${issue.path}: ${issue.message}`).join('; ');
    throw new AppError('INTERNAL', `${method} ${path} answers ${status} against its contract: ${text}`);
  };
}
