import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { describe, expect, it } from 'vitest';
import { ChatNumberPairs, DriverRegistry, DRIVER_NAMES } from '../../src/modules/providers/index.js';
import { OutboundClient } from '../../src/platform/outbound/index.js';
import { ROOT } from './house.js';

const WORDS = { sms: 'SMS', unofficial: 'unofficial', voice: 'voice', chat: 'chat' } as const;

const registry = new DriverRegistry(
  new OutboundClient({ OUTBOUND_ALLOW: '' }),
  { PUBLIC_URL: 'https://sms.example', NODE_ENV: 'test', PORT: 3000, VOICE_MAX_CALL_SECONDS: 600 },
  new ChatNumberPairs(new DataSource({ type: 'mariadb' })),
);
const operators = DRIVER_NAMES.map((name) => registry.get(name));
const all = [...operators, registry.get('meta_cloud')];

const page = (...path: readonly string[]): string => readFileSync(join(ROOT, 'docs', ...path), 'utf8');

/** The first two columns of the table whose head begins with `driver`. */
const rowsOf = (text: string): [string, string][] =>
  [...text.matchAll(/^\| `([a-z_]+)`[^|]*\| ([^|]+?) +\|/gm)]
    .slice(0, all.length)
    .map(([, driver = '', carries = '']) => [driver, carries.replaceAll('unofficial chat', 'unofficial')]);

describe('the table of drivers', () => {
  it('has each driver under its name', () => {
    expect(operators.map(({ name }) => name)).toEqual(DRIVER_NAMES);
  });

  it.each([
    ['operate', 'drivers.md'],
    ['reference', 'providers.md'],
  ])('is that of the page %s/%s', (...path) => {
    const rows = all.map((driver) => [driver.name, driver.channels.map((kind) => WORDS[kind]).join(', ')]);
    expect(rowsOf(page(...path))).toEqual(rows);
  });

  it('is in the reference of the routes', () => {
    const names = DRIVER_NAMES.join(' / ');
    expect(page('reference', 'admin.md')).toContain(`driver: ${names}, config`);
  });

  it('has a form of the web application for each driver, with its channels', async () => {
    const { DRIVERS: forms } = (await import(join(ROOT, 'web/src/routes/route-config.ts'))) as {
      DRIVERS: Record<string, { channels: readonly string[]; hasBinds?: true; fields: readonly { name: string }[] }>;
    };
    const shown = Object.entries(forms).map(([name, { channels, hasBinds }]) => [name, channels, hasBinds ?? false]);
    expect(shown).toEqual(operators.map((driver) => [driver.name, driver.channels, driver.bindsSessions ?? false]));
  });
});
