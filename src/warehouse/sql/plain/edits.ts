// Edits of a text that keep the places of the original, so that a complaint about the edited text names the real line and column.

/** A replacement of `sql.slice(start, end)` by `text`. An insertion has `start` equal to `end`. */
export interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** An edited text and the way back to the original. */
export interface EditedText {
  readonly text: string;
  /** Returns the place in the original of a place in `text`. Inserted text stands where the edit begins. */
  readonly originalPlace: (offset: number) => Place;
}

export interface Place {
  readonly offset: number;
  /** Tells whether an edit wrote the text at this place. */
  readonly isInserted: boolean;
}

/** Applies edits in the order of their places. An edit inside the range of an earlier one is dropped. */
export function applyEdits(sql: string, edits: readonly Edit[]): EditedText {
  const parts: { readonly at: number; readonly from: number; readonly isKept: boolean }[] = [];
  let text = '';
  let from = 0;
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    if (edit.start < from) continue;
    parts.push({ at: text.length, from, isKept: true });
    text += sql.slice(from, edit.start);
    parts.push({ at: text.length, from: edit.start, isKept: false });
    text += edit.text;
    from = edit.end;
  }
  parts.push({ at: text.length, from, isKept: true });
  text += sql.slice(from);
  return {
    text,
    originalPlace: (offset) => {
      const { at, from, isKept } = parts.findLast((part) => part.at <= offset) ?? { at: 0, from: 0, isKept: true };
      return isKept ? { offset: from + offset - at, isInserted: false } : { offset: from, isInserted: true };
    },
  };
}
