// Definitions that the demo sends to the API: the same three bodies that the README shows.

export const CONNECTION = {
  id: 'shop',
  name: 'The shop’s warehouse',
  state: 'active',
  service_provider: 'DuckDB',
  config: { database: 'shop.duckdb', read_only: true },
};

export const DATA_MODEL = {
  id: 'buyers',
  name: 'What each person bought',
  state: 'active',
  type: 'sql',
  config: {
    sql_query: `SELECT customer_id,
       count(*) AS purchases,
       sum(cds) AS cds,
       sum(amount) AS amount,
       max(purchased_on) AS last_purchase_on,
       max(loaded_at) AS loaded_at
  FROM purchases
 GROUP BY customer_id`,
  },
};

export const PIPELINE = {
  id: 'buyers-to-profiles',
  name: 'Buyers become profiles',
  pipeline_type: 'user_attributes',
  connection_id: CONNECTION.id,
  data_model_id: DATA_MODEL.id,
  state: 'active',
  // each run reads again only the people with a purchase that came in since the last run
  sync_mode: { type: 'incremental', iterator_field: 'loaded_at', iterator_data_type: 'timestamp_tz' },
  schedule: { type: 'on_demand' },
  environment: 'production',
};

/** A customer with purchases both before the last month and in it. */
export const SOMEBODY = '00229';
