import { expect } from 'vitest';
import { AppError } from '../../../src/kernel/index.ts';
import type { RecordedConversation } from './conversation.ts';

/** Expects that the connector made of a replayed answer what the conversation says. */
export function expectSaid(failure: unknown, { says }: Pick<RecordedConversation<unknown>, 'says'>): void {
  if (!(failure instanceof AppError)) throw new Error('The connector threw no AppError.', { cause: failure });
  const { code, disposition, message } = failure;
  expect({ code, disposition, message }).toEqual({ ...says, message: expect.stringContaining(says.message) });
}
