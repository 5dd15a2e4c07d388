import { readFileSync } from 'node:fs';
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
}

/** compose's merge keys are no part of YAML 1.2 */
const schema = CORE_SCHEMA.withTags(mergeTag);

const read = (file: string): [string, Service][] =>
  Object.entries(
    (load(readFileSync(`${ROOT}docker/${file}`, 'utf8'), { schema }) as { services: Record<string, Service> }).services,
  );

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
    expect(foreign).toEqual(['${MARIADB_IMAGE:-mariadb:10.11}', '${REDIS_IMAGE:-redis:7}']);
  });
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
