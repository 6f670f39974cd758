interface StagingSteps {
  has(): Promise<boolean>;
  create(): Promise<void>;
}

/** Creates the staging schema of write-backs, whose name is the same for all, where it is missing. Tells whether it was. */
export async function ensureStaging({ has, create }: StagingSteps): Promise<boolean> {
  if (await has()) return false;
  await create();
  return true;
}
