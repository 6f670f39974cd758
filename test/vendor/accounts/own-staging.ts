interface StagingSteps {
  has(): Promise<boolean>;
  create(): Promise<void>;
  drop(): Promise<void>;
}

/** Keeps the staging schema of write-backs, which has one name for all: the run creates it where it is missing, and then drops it. */
export function ownStaging({ has, create, drop }: StagingSteps) {
  let isOurs = false;
  return {
    async ensure() {
      if (await has()) return;
      await create();
      isOurs = true;
    },
    async remove() {
      if (isOurs) await drop();
      isOurs = false;
    },
  };
}
