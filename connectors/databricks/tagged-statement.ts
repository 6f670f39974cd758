// Statements with tags for the query history. Query tags are a preview of Databricks SQL: a cluster, or a workspace without the
// preview, fails every statement that carries them (https://github.com/rilldata/rill/pull/9852).
import { isUnknownSetting, type Link } from './link.ts';
import type { SessionHandle } from './sdk.ts';
import { type StartedStatement, type StatementToStart, startStatement } from './statement.ts';
import { bounded } from './waiting.ts';

/** Settings that the warehouse was found not to know; they are left out for the rest of the session. */
export type UnknownSettings = Set<'query_tags' | 'STATEMENT_TIMEOUT'>;

export interface TaggedStart {
  readonly link: Link;
  readonly handle: SessionHandle;
  readonly unknown: UnknownSettings;
}

/**
 * Starts a statement with its tags. Starts it once again without them if the warehouse does not know the setting, which it
 * says at once or when the statement ends. A refused statement has done nothing, so a repeated one writes once.
 */
export async function startTagged(
  { link, handle, unknown }: TaggedStart,
  { tags, ...untagged }: StatementToStart,
): Promise<StartedStatement> {
  const startUntagged = () => startStatement(link, handle, untagged);
  if (tags === undefined || unknown.has('query_tags')) return await startUntagged();
  const startAgain = async (failure: unknown) => {
    if (!isUnknownSetting(failure)) throw failure;
    unknown.add('query_tags');
    return await startUntagged();
  };
  let isRepeated = false;
  let statement = await startStatement(link, handle, { ...untagged, tags }).catch((failure: unknown) => {
    isRepeated = true;
    return startAgain(failure);
  });
  return {
    async finish() {
      try {
        return await statement.finish();
      } catch (failure) {
        if (isRepeated) throw failure;
        const refused = statement;
        statement = await startAgain(failure);
        isRepeated = true;
        await bounded(refused.close());
        return await statement.finish();
      }
    },
    metadata: () => statement.metadata(),
    fetch: (mostRows) => statement.fetch(mostRows),
    fetchFile: () => statement.fetchFile(),
    cancel: () => statement.cancel(),
    close: () => statement.close(),
  };
}
