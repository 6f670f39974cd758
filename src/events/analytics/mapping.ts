import type { CallFields } from './call-contract.ts';
import type { Looking } from './compile-lines.ts';
import type { Draft, Origins } from './draft.ts';

/** One call on its way into a batch. */
export interface Mapping extends Looking {
  readonly call: CallFields;
  readonly draft: Draft;
  readonly taken: Set<string>;
  /** Filled where somebody asks for it. */
  readonly origins: Origins | undefined;
}
