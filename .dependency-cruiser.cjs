// Import rules: a lower line never imports a higher one, siblings of a line never import each other,
// and from another feature only its door (index.ts). A room that comes later finds its line here already.
const LINES = [
  ['cli'],
  ['app'],
  ['dsr'],
  ['groups'],
  ['api-v1'],
  ['runs'],
  ['mapping'],
  ['pipelines'],
  ['events'],
  ['identity'],
  ['access'],
  ['jobs', 'http'],
  ['store', 'warehouse'],
  ['config'],
  ['kernel'],
];
const place = (room) => (room === 'app' || room === 'config' ? `^src/${room}(\\.ts$|/)` : `^src/${room}/`);

const layering = LINES.flatMap((rooms, line) =>
  rooms.map((room) => ({
    name: `${room}-imports-only-lower-rooms`,
    severity: 'error',
    from: { path: place(room) },
    to: {
      path: [
        '^src/main\\.ts$',
        ...LINES.slice(0, line).flat().map(place),
        ...rooms.filter((sibling) => sibling !== room).map(place),
      ],
    },
  })),
);

const doors = LINES.flat()
  .filter((room) => room !== 'app' && room !== 'config' && room !== 'kernel')
  .map((room) => ({
    name: `${room}-is-entered-by-its-door`,
    severity: 'error',
    from: { path: '^(src|connectors)/', pathNot: place(room) },
    to: { path: place(room), pathNot: `^src/${room}/index\\.ts$` },
  }));

/** One library, one home: who may import it at all. */
const HOMES = [
  // the rooms that own tables, but for the folders that say what an API shows
  ['drizzle-orm', ['^src/(access|dsr|events|groups|identity|jobs|pipelines|runs|store)/(?!contract/|routes/|wire/)']],
  ['pg', ['^src/store/', '^connectors/redshift/']],
  ['pg-boss', ['^src/jobs/']],
  ['p-queue', ['^src/pipelines/connections/trial-queue\\.ts$']],
  ['croner', ['^src/jobs/']],
  ['fastify', ['^src/http/']],
  ['@fastify/[a-z-]+', ['^src/http/']],
  ['prom-client', ['^src/http/']],
  ['pino', ['^src/kernel/']],
  ['jose', ['^src/access/']],
  ['commander', ['^src/cli/']],
  ['cli-table3', ['^src/cli/']],
  ['csv-parse', ['^src/cli/dsr/', '^connectors/redshift/unload/']],
  ['(@peculiar/x509|reflect-metadata)', ['^src/dsr/certificates/create-self-signed\\.ts$']],
  ['temporal-polyfill', ['^src/mapping/range/']],
  ['yazl', ['^src/dsr/result/']],
  ['@polyglot-sql/sdk', ['^src/warehouse/sql/']],
  ['node-sql-parser', ['^src/warehouse/sql/']],
  // an SDK is loaded when a session opens; its types cost nothing
  ['@databricks/sql', ['^connectors/databricks/session\\.ts$'], { dependencyTypesNot: ['type-only', 'type-import'] }],
  ['@duckdb/[a-z-]+', ['^connectors/duckdb/child/sdk\\.ts$'], { dependencyTypesNot: ['type-only', 'type-import'] }],
  [
    '(@google-cloud/[a-z-]+|google-auth-library|@grpc/grpc-js)',
    ['^connectors/bigquery/session\\.ts$'],
    { dependencyTypesNot: ['type-only', 'type-import'] },
  ],
  [
    'apache-arrow',
    ['^connectors/(bigquery|databricks)/session\\.ts$'],
    { dependencyTypesNot: ['type-only', 'type-import'] },
  ],
  ['@aws-sdk/[a-z0-9-]+', ['^connectors/redshift/session\\.ts$'], { dependencyTypesNot: ['type-only', 'type-import'] }],
  ['ssh2', ['^connectors/redshift/session\\.ts$'], { dependencyTypesNot: ['type-only', 'type-import'] }],
  ['snowflake-sdk', ['^connectors/snowflake/session\\.ts$'], { dependencyTypesNot: ['type-only', 'type-import'] }],
];
const homes = HOMES.map(([library, paths, imported = {}]) => ({
  name: `${library.replace(/\W+/g, '-').replace(/^-|-$/g, '')}-stays-home`,
  severity: 'error',
  from: { path: '^(src|connectors)/', pathNot: paths },
  to: { path: `node_modules/${library}/`, ...imported },
}));

module.exports = {
  forbidden: [
    ...layering,
    ...doors,
    ...homes,
    {
      name: 'no-circular',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'connectors-know-only-kernel-and-warehouse',
      severity: 'error',
      from: { path: '^connectors/([^/]+)/' },
      to: {
        path: '^(src|connectors)/',
        pathNot: ['^src/(kernel|warehouse)/', '^connectors/_shared/', '^connectors/$1/'],
      },
    },
    {
      name: 'one-connector-never-imports-another',
      severity: 'error',
      from: { path: '^connectors/([^/_]+)/' },
      to: { path: '^connectors/([^/_]+)/', pathNot: '^connectors/$1/' },
    },
    {
      name: 'connectors-are-met-in-app-only',
      severity: 'error',
      from: { path: '^src/', pathNot: '^src/app\\.ts$' },
      to: { path: '^connectors/', pathNot: '^connectors/facts\\.ts$' },
    },
    {
      // every command line and every room that asks for a provider reads them
      name: 'provider-facts-load-nothing',
      severity: 'error',
      from: { path: ['^connectors/facts\\.ts$', '^connectors/[a-z]+/facts\\.ts$'] },
      to: { pathNot: '^connectors/[a-z]+/facts\\.ts$', dependencyTypesNot: ['type-only'] },
    },
    {
      // a command is declared in src/cli/NAME.ts, and what it does is loaded when it runs: help and complaints come at once
      name: 'help-loads-no-room',
      severity: 'error',
      from: { path: '^src/cli/[a-z-]+\\.ts$', pathNot: '^src/cli/(operator|defaults|api-client)\\.ts$' },
      to: {
        path: [place('app'), '^src/(?!cli/|kernel/|config)', '^src/cli/(operator|defaults)\\.ts$', '^src/cli/[a-z-]+/'],
        pathNot: '^src/cli/credentials/rights\\.ts$',
        dynamic: false,
        dependencyTypesNot: ['type-only'],
      },
    },
    { name: 'not-to-unresolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
    {
      name: 'no-dev-dependency-in-source',
      severity: 'error',
      from: { path: '^(src|connectors)/' },
      to: { dependencyTypes: ['npm-dev'] },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
      mainFields: ['module', 'main', 'types'],
    },
  },
};
