/** A customer's account, signed in as the connection is: the run creates its space and its tables through it. */
export interface Account extends AsyncDisposable {
  /** Runs statements one after the other, and returns the rows of the last as texts. */
  run(statements: readonly string[]): Promise<readonly (readonly (string | null)[])[]>;
  /** Names of the spaces that are there: schemas, datasets or databases. */
  spaces(): Promise<readonly string[]>;
  /** Tells whether it had to create the staging schema, too. */
  createSpace(name: string): Promise<boolean>;
  /** Drops a space with all that it holds, and the staging schema where the run created it. */
  dropSpace(name: string, withStaging: boolean): Promise<void>;
  /** Names of the staging tables of write-backs. */
  staging(): Promise<readonly string[]>;
  /** Connections that this account has open beside ours; absent where the product does not tell. */
  connections?(): Promise<number>;
}
