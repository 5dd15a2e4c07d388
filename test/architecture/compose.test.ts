import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CORE_SCHEMA, load, mergeTag } from 'js-yaml';
import { describe, expect, it } from 'vitest';
import { ROOT } from './house.js';

interface Service {
  image: string;
  ports?: string[];
  cap_drop?: string[];
  security_opt?: string[];
  read_only?: boolean;
  environment?: Record<string, string>;
  command?: string[];
  tmpfs?: string[];
  volumes?: string[];
  depends_on?: Record<string, unknown>;
}

/** compose's merge keys are no part of YAML 1.2 */
const schema = CORE_SCHEMA.withTags(mergeTag);

interface File {
  services: Record<string, Service>;
  volumes: Record<string, null>;
}
const fileOf = (file: string): File => load(readFileSync(`${ROOT}docker/${file}`, 'utf8'), { schema }) as File;
const read = (file: string): [string, Service][] => Object.entries(fileOf(file).services);

describe('docker/compose.yaml', () => {
  const services = read('compose.yaml');

  it.each(services)('%s keeps no capability, gains no rights and writes to its volumes only', (_name, service) => {
    expect(service).toMatchObject({
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
      read_only: true,
    });
  });

  it('publishes the API and nothing else', () => {
    expect(services.filter(([, { ports }]) => ports !== undefined).map(([name]) => name)).toEqual(['api']);
  });

  it('lets nobody into Redis without its password, which stands in no argument', () => {
    const { redis, api } = Object.fromEntries(services);
    expect(redis?.command?.join(' ')).toContain('requirepass $$REDIS_PASSWORD');
    expect(redis?.environment?.['REDIS_PASSWORD']).toMatch(/^\$\{REDIS_PASSWORD:\?/); // compose refuses to start without
    expect(api?.environment?.['REDIS_URL']).toMatch(/^redis:\/\/:\$\{REDIS_PASSWORD:\?.+\}@redis:6379$/);
  });

  it('names a version of every image it does not build, and takes a digest instead', () => {
    const foreign = services.filter(([, service]) => !('build' in service)).map(([, { image }]) => image);
    expect(foreign).toEqual(['${MYSQL_IMAGE:-mysql:8.4}', '${REDIS_IMAGE:-redis:7}']);
  });
});

describe('docker/compose.mariadb.yaml', () => {
  const { services, volumes } = fileOf('compose.mariadb.yaml');
  const plain = fileOf('compose.yaml').services['database'];

  it('changes the database alone, and keeps its rights, its user and its memory', () => {
    expect(Object.keys(services)).toEqual(['database']);
    const { database } = services;
    expect(database?.image).toBe('${MARIADB_IMAGE:-mariadb:10.11}');
    // what is not said here comes from compose.yaml
    expect(Object.keys(database ?? {}).sort()).toEqual(['command', 'environment', 'healthcheck', 'image', 'volumes']);
    const ofMysqlAlone = ['--disable-log-bin', '--mysqlx=OFF'];
    expect(database?.command).toEqual(plain?.command?.filter((option) => !ofMysqlAlone.includes(option)));
  });

  it('keeps the volume of former installations, which MySQL never opens', () => {
    expect([services['database']?.volumes, Object.keys(volumes)]).toEqual([['mariadb:/var/lib/mysql'], ['mariadb']]);
    expect(plain?.volumes).toEqual(['mysql:/var/lib/mysql']);
    expect(Object.keys(fileOf('compose.yaml').volumes)).not.toContain('mariadb');
  });
});

describe.each(['compose.yaml', 'compose.mariadb.yaml', 'compose.cluster.yaml', 'compose.servers.yaml'])(
  '%s',
  (name) => {
    it('declares every volume that it mounts', () => {
      const { services, volumes } = fileOf(name);
      const mounted = Object.values(services)
        .flatMap((service) => service.volumes ?? [])
        .map((volume) => volume.split(':')[0] ?? '')
        .filter((volume) => !volume.startsWith('.'));
      expect([...new Set(mounted)].filter((volume) => !Object.hasOwn(volumes, volume))).toEqual([]);
    });
  },
);

describe('docker/compose.cluster.yaml', () => {
  const services = read('compose.cluster.yaml');
  const named = Object.fromEntries(services);
  const plain = Object.fromEntries(read('compose.yaml'));

  it.each(services.filter(([name]) => !Object.hasOwn(plain, name)))(
    '%s keeps no capability, gains no rights and writes to its volumes only',
    (_name, service) => {
      expect(service).toMatchObject({ cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'], read_only: true });
    },
  );

  it('adds nothing twice to what it changes', () => {
    for (const [name, service] of services) {
      const own = plain[name];
      if (!own) continue;
      for (const list of ['tmpfs', 'ports'] as const)
        expect([name, own[list] && service[list]]).toEqual([name, undefined]);
    }
  });

  it('publishes the front beside the API, and nothing else', () => {
    expect(services.filter(([, { ports }]) => ports !== undefined).map(([name]) => name)).toEqual(['front']);
  });

  it('leads every process to the proxy and to the sentinels', () => {
    for (const name of ['migrate', 'api', 'worker']) {
      expect(named[name]?.environment?.['DATABASE_URL']).toMatch(/@proxy:3306\/switchboard$/);
      expect(named[name]?.environment?.['DATABASE_READ_URL']).toMatch(/@proxy:3307\/switchboard$/);
      expect(named[name]?.environment?.['REDIS_URL']).toMatch(
        /^redis\+sentinel:\/\/:.+@sentinel-a:26379,sentinel-b:26379,sentinel-c:26379\/switchboard\?/,
      );
    }
  });

  it('has three nodes of one cluster, behind the configuration of the proxy that the cluster tests run with', () => {
    const nodes = ['database', 'galera-b', 'galera-c'];
    for (const name of nodes) {
      expect(named[name]?.command).toContain('--wsrep-cluster-address=gcomm://galera-a,galera-b,galera-c');
      expect(named[name]?.command).toContain('--binlog-format=ROW');
    }
    expect(nodes.filter((name) => named[name]?.environment?.['GALERA_FIRST'] === 'yes')).toEqual(['database']);
    expect(named['proxy']?.volumes?.[0]).toMatch(/^\.\/haproxy\/haproxy\.cfg:/);
    const config = readFileSync(`${ROOT}docker/haproxy/haproxy.cfg`, 'utf8');
    for (const name of Object.keys(named['proxy']?.environment ?? {})) expect(config).toContain(`"\${${name}}"`);
  });

  it('asks the nodes of a MySQL group with packets of the length that they say', () => {
    const config = readFileSync(`${ROOT}docker/haproxy/group-replication.cfg`, 'utf8');
    const query = /setenv ROLE_OF_NODE "(.+)"/.exec(config)?.[1] ?? '';
    const headers = [...config.matchAll(/send-binary (\w{6})0003\n\s+tcp-check send "\$\{ROLE_OF_NODE\}"/g)];
    const lengths = headers.map(([, length = '']) => Buffer.from(length, 'hex').readUIntLE(0, 3));
    expect(lengths).toEqual([query.length + 1, query.length + 1]);
    const login = Buffer.from(/setenv LOGIN (\w+)/.exec(config)?.[1] ?? '', 'hex');
    expect(login.readUIntLE(0, 3)).toBe(login.length - 4);
  });

  it('keeps passwords out of arguments', () => {
    for (const [, { command = [] }] of services) expect(command.join(' ')).not.toMatch(/\$\{\w*(PASSWORD|SECRET|KEY)/);
  });
});

describe.skipIf(spawnSync('docker-compose', ['version']).status !== 0)('docker-compose', () => {
  it.each([['compose.yaml'], ['compose.yaml', 'compose.mariadb.yaml'], ['compose.yaml', 'compose.cluster.yaml']])(
    'reads %s %s',
    (...files) => {
      const directory = mkdtempSync(join(tmpdir(), 'switchboard-compose-'));
      try {
        mkdirSync(join(directory, 'docker'));
        cpSync(`${ROOT}docker/cluster`, join(directory, 'docker/cluster'), { recursive: true });
        for (const file of files) {
          // the first generation of the program knows no name of a project
          const text = readFileSync(`${ROOT}docker/${file}`, 'utf8').replace(/^name: .*$/m, '');
          writeFileSync(join(directory, 'docker', file), text);
        }
        const args = files.flatMap((file) => ['-f', join(directory, 'docker', file)]);
        const secrets = { JWT_SECRET: 'a', ENCRYPTION_KEY: 'b', DATABASE_PASSWORD: 'c', REDIS_PASSWORD: 'd' };
        const read = spawnSync('docker-compose', [...args, 'config', '--quiet'], {
          env: { ...process.env, ...secrets },
        });
        expect([read.status, read.stderr.toString()]).toEqual([0, '']);
      } finally {
        rmSync(directory, { recursive: true, force: true });
      }
    },
  );
});

describe('docker/compose.servers.yaml', () => {
  it.each(read('compose.servers.yaml'))(
    '%s keeps no capability and is reached from this machine only',
    (_name, service) => {
      expect(service).toMatchObject({ cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] });
      for (const port of service.ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/);
    },
  );
});
