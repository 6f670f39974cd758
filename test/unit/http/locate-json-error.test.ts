import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { locateJsonError } from '../../../src/http/body/locate-json-error.ts';

/** JSON with one character taken out, put in or replaced: mostly broken, now and then still right. */
const spoiled = fc
  .tuple(fc.json(), fc.nat(), fc.constantFrom('', ',', '}', ']', '"', ':', 'x', '\\', '1', '\n', '-'), fc.boolean())
  .map(([text, at, character, replaces]) => {
    const place = at % (text.length + 1);
    return text.slice(0, place) + character + text.slice(place + (replaces ? 1 : 0));
  });

function failure(text: string): string | undefined {
  try {
    JSON.parse(text);
    return undefined;
  } catch (error) {
    return String(error);
  }
}

/** A right start: the parser is content, or complains of nothing before its end. */
function isUnfinished(start: string): boolean {
  const message = failure(start);
  if (message === undefined || message.includes('end of JSON input')) return true;
  return Number(/at position (\d+)/.exec(message)?.[1] ?? -1) >= start.length;
}

describe('the place of a mistake in JSON', () => {
  it('is the end of a start that JSON could go on from', () => {
    fc.assert(
      fc.property(spoiled, (text) => {
        fc.pre(failure(text) !== undefined);
        const { position } = locateJsonError(text);
        expect(isUnfinished(text.slice(0, position)), `${text} at ${position}`).toBe(true);
      }),
    );
  });

  it('is counted in lines and columns from one', () => {
    expect(locateJsonError('{\n  "a": 1,\n  b: 2\n}')).toMatchObject({ line: 3, column: 3, position: 14 });
  });
});
