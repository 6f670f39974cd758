import { expect, test } from 'vitest';
import { FLEET } from '../../../connectors/index.ts';
import { checkConfig } from '../../../src/pipelines/connections/connection-config.ts';

test('an issue of a configuration has the path of its field below config, once', () => {
  const issues = checkConfig(FLEET, 'DuckDB', { extra: 'x', 'odd name': 'x' });
  expect(issues.map(({ path }) => path)).toEqual(['config.database', 'config.extra', 'config["odd name"]']);
});
