/** Returns the text with a full stop, unless the server or the SDK ended it with a mark. */
export function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
