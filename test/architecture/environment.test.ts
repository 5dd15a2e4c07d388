import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { parseEnv } from 'node:util';
import { describe, expect, it } from 'vitest';
import { environmentSchema, readEnvironment } from '../../src/platform/config/index.js';
import { ROOT } from './house.js';

const example = readFileSync(`${ROOT}.env.example`, 'utf8');
const listed = [...example.matchAll(/^#([A-Z][A-Z0-9_]+)=/gm)].map((match) => match[1]!);

describe('.env.example', () => {
  it('lists exactly the variables of the schema, each once', () => {
    expect(listed.toSorted()).toEqual(Object.keys(environmentSchema.shape).toSorted());
  });

  it('states the defaults that the schema has', () => {
    const required = {
      DATABASE_URL: 'mysql://user:password@localhost/name',
      REDIS_URL: 'redis://localhost',
      JWT_SECRET: 'x'.repeat(32),
      ENCRYPTION_KEY: '0'.repeat(64),
    };
    const stated = parseEnv(example.replaceAll(/^#([A-Z][A-Z0-9_]+=)/gm, '$1'));
    expect(readEnvironment({ ...stated, ...required })).toEqual(readEnvironment(required));
  });
});

describe('JWT_SECRETS_ACCEPTED', () => {
  const read = (accepted: string, more: object = {}) =>
    readEnvironment({
      DATABASE_URL: 'mysql://user:password@localhost/name',
      REDIS_URL: 'redis://localhost',
      JWT_SECRET: 'abcdefghijklmnopqrstuvwxyz0123456789',
      ENCRYPTION_KEY: '0123456789abcdef'.repeat(4),
      JWT_SECRETS_ACCEPTED: accepted,
      ...more,
    }).JWT_SECRETS_ACCEPTED;

  it('are as long as JWT_SECRET, and as random in production', () => {
    expect(read('')).toEqual([]);
    expect(read(`${'a'.repeat(32)},${'b'.repeat(40)}`)).toEqual(['a'.repeat(32), 'b'.repeat(40)]);
    expect(() => read(`${'a'.repeat(32)},short`)).toThrow('JWT_SECRETS_ACCEPTED: at least 32 characters each');
    expect(() => read('a'.repeat(32), { NODE_ENV: 'production' })).toThrow('JWT_SECRETS_ACCEPTED: too weak');
  });
});

describe('VOICE_AUTO_APPROVE', () => {
  const needed = {
    DATABASE_URL: 'mysql://user:password@localhost/name',
    REDIS_URL: 'redis://localhost',
    JWT_SECRET: 'x'.repeat(32),
    ENCRYPTION_KEY: '0'.repeat(64),
  };

  it('stops the start where nobody said where calls may be forwarded to', () => {
    expect(() => readEnvironment({ ...needed, VOICE_AUTO_APPROVE: 'true' })).toThrow(
      /VOICE_ALLOWED_PREFIXES: must say where calls may be forwarded to \(\* = anywhere\), because VOICE_AUTO_APPROVE is on/,
    );
    for (const VOICE_ALLOWED_PREFIXES of ['*', '91', '44,1']) {
      const read = readEnvironment({ ...needed, VOICE_AUTO_APPROVE: 'true', VOICE_ALLOWED_PREFIXES });
      expect(read.VOICE_ALLOWED_PREFIXES).toEqual(VOICE_ALLOWED_PREFIXES.split(','));
    }
    expect(readEnvironment(needed).VOICE_ALLOWED_PREFIXES).toEqual([]);
  });
});

describe('docker/compose.yaml', () => {
  it('hands every variable on, but those that the containers settle', () => {
    const compose = readFileSync(`${ROOT}docker/compose.yaml`, 'utf8');
    const settled = /^(HOST|PORT|DATA_DIR|SANDBOX_\w+)$/; // by the image, or not in production
    const missing = listed.filter((name) => !settled.test(name) && !new RegExp(`^ +${name}:`, 'm').test(compose));
    expect(missing).toEqual([]);
  });
});

describe('docs/operate/configuration.md', () => {
  it('shows the same variables', () => {
    execFileSync(process.execPath, [`${ROOT}scripts/configuration.mjs`, '--check'], { stdio: 'pipe' });
  });
});
