// Secrets never appear in the output of a run, not even where a driver repeats one in a message.
const SHORTEST_LINE = 8;

/** Returns a function that replaces the secrets of a text, also single lines of a key and what an address makes of them. */
export function redactor(secrets: readonly string[]): (text: string) => string {
  const forms = secrets.flatMap((secret) => [
    secret,
    ...secret
      .split(/\r?\n/)
      .map((line) => line.trim())
      .filter((line) => line.length >= SHORTEST_LINE && !line.startsWith('-----')),
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
  ]);
  const longestFirst = [...new Set(forms)].filter((form) => form !== '').sort((a, b) => b.length - a.length);
  return (text) => longestFirst.reduce((redacted, form) => redacted.replaceAll(form, '***'), text);
}
