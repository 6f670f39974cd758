import { aws } from './aws.ts';
import { bigquery } from './bigquery.ts';
import { databricks } from './databricks.ts';
import type { ServerName } from './local-servers.ts';
import { postgresql } from './postgresql.ts';
import type { Recipe } from './recipe.ts';
import { snowflake } from './snowflake.ts';

export const RECIPES: { readonly [Name in ServerName]: Recipe<Name> } = {
  snowflake,
  bigquery,
  databricks,
  postgresql,
  aws,
};
