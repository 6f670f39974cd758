/** The connections of a session, which are opened on demand. */
interface Links<Link> {
  take(signal: AbortSignal): Promise<Link>;
  giveBack(link: Link): Promise<void>;
}

/** Runs a probe, which takes one link at the stage that needs it. The link is given back at the end. */
export async function probeLinks<Link, Result>(
  links: Links<Link>,
  signal: AbortSignal,
  probe: (signedIn: () => Promise<Link>) => Promise<Result>,
): Promise<Result> {
  let link: Link | undefined;
  const signedIn = async () => {
    link ??= await links.take(signal);
    return link;
  };
  try {
    return await probe(signedIn);
  } finally {
    if (link !== undefined) await links.giveBack(link);
  }
}
