import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

export interface SparkOptions {
  /** Holds `jars`, and pyspark somewhere under `venv`. */
  readonly installed: string;
  /** Tables, the catalog's files and whatever Java writes. */
  readonly folder: string;
  readonly port: number;
}

/** Small and quick to start; one customer's worth of data, no parallelism to gain. */
const JAVA_OPTIONS = ['-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-Dderby.stream.error.file=/dev/null'];

/** Spark's Thrift server with Delta over HTTP; it dies with us. Its output is ours. */
export function startSpark({ installed, folder, port }: SparkOptions): ChildProcess {
  const home = sparkHome(installed);
  const submit = [
    join(home, 'bin', 'spark-submit'),
    ...['--master', 'local[2]', '--driver-memory', process.env.SPARK_MEMORY || '1g'],
    ...['--class', 'org.apache.spark.sql.hive.thriftserver.HiveThriftServer2'],
    // not --jars: sessions with a schema would fail to open
    ...['--driver-class-path', join(installed, 'jars', '*'), '--driver-java-options', JAVA_OPTIONS.join(' ')],
    ...Object.entries(settings(folder)).flatMap(([name, value]) => ['--conf', `${name}=${value}`]),
    'spark-internal',
    ...Object.entries(serverSettings(port)).flatMap(([name, value]) => ['--hiveconf', `${name}=${value}`]),
  ];
  const [command = '', ...args] = process.platform === 'linux' ? ['setpriv', '--pdeathsig', 'KILL', ...submit] : submit;
  return spawn(command, args, {
    cwd: folder,
    env: { ...process.env, SPARK_HOME: home, SPARK_LOCAL_IP: '127.0.0.1', HIVE_SERVER2_THRIFT_BIND_HOST: '127.0.0.1' },
    stdio: ['ignore', 'inherit', 'inherit'],
  });
}

function sparkHome(installed: string): string {
  const lib = join(installed, 'venv', 'lib');
  const homes = readdirSync(lib).map((python) => join(lib, python, 'site-packages', 'pyspark'));
  const home = homes.find((folder) => existsSync(join(folder, 'bin', 'spark-submit')));
  if (home === undefined) throw new Error(`No pyspark below ${lib}.`);
  return home;
}

function settings(folder: string): Readonly<Record<string, string>> {
  return {
    'spark.log.level': 'WARN',
    'spark.ui.enabled': 'false',
    'spark.sql.session.timeZone': 'UTC',
    'spark.sql.extensions': 'io.delta.sql.DeltaSparkSessionExtension',
    'spark.sql.catalog.spark_catalog': 'org.apache.spark.sql.delta.catalog.DeltaCatalog',
    'spark.sql.sources.default': 'delta',
    'spark.sql.warehouse.dir': join(folder, 'tables'),
    'spark.sql.shuffle.partitions': '2',
    'spark.databricks.delta.snapshotPartitions': '2',
    'spark.hadoop.javax.jdo.option.ConnectionURL': 'jdbc:derby:memory:catalog;create=true',
    'spark.hadoop.datanucleus.schema.autoCreateAll': 'true',
    'spark.hadoop.hive.metastore.schema.verification': 'false',
    // a folder each session, which Hive would leave in the system's temporary folder
    // biome-ignore lint/suspicious/noTemplateCurlyInString: Hive fills it in
    'spark.hadoop.hive.downloaded.resources.dir': join(folder, 'resources', '${hive.session.id}'),
  };
}

function serverSettings(port: number): Readonly<Record<string, string>> {
  return {
    'hive.server2.transport.mode': 'http',
    'hive.server2.thrift.http.port': String(port),
    'hive.server2.http.endpoint': 'cliservice',
    'hive.server2.authentication': 'NOSASL',
    'hive.server2.thrift.http.cookie.auth.enabled': 'false',
  };
}
