import { describe, expect, it } from 'vitest';
import { classify, RULES } from '../../../connectors/duckdb/errors.ts';

describe('the classes of DuckDB’s errors', () => {
  it.each(RULES.map((rule) => [rule.kind, rule.holds ?? '', rule] as const))(
    '%s %s',
    (kind, holds, { code, advice }) => {
      const failure = new Error(`${kind}: before ${holds} after`);
      const error = classify(failure);
      expect(error).toMatchObject({ code, cause: failure });
      expect(error.message).toContain(failure.message);
      if (advice !== undefined) expect(error.message).toContain(advice);
    },
  );

  it('reaches every rule: no earlier one hides it', () => {
    const hidden = RULES.filter(({ kind, holds }, index) =>
      RULES.slice(0, index).some(
        (earlier) => kind.startsWith(earlier.kind) && (earlier.holds === undefined || holds?.includes(earlier.holds)),
      ),
    );
    expect(hidden).toEqual([]);
  });
});
