import 'reflect-metadata';
import { NestFactory } from '@nestjs/core';
import { getDataSourceToken } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { InvalidEnvironment, readEnvironment } from '../../platform/config/index.js';
import { FirstAccounts } from './first-start/first-accounts.js';
import { migrate, whileLocked } from './first-start/migrate.js';
import { PrepareModule } from './first-start/prepare.module.js';
import { SandboxChat } from './first-start/sandbox-chat.js';
import { SandboxRoutes } from './first-start/sandbox-routes.js';

/** Migrates and seeds, then ends. Safe to run at every start and from several hosts at once. */
async function prepare(): Promise<void> {
  readEnvironment();
  const app = await NestFactory.createApplicationContext(PrepareModule, {
    logger: ['warn', 'error'],
    abortOnError: false,
  });
  try {
    const dataSource = app.get<DataSource>(getDataSourceToken());
    const lines = await whileLocked(dataSource, async () => {
      const applied = await migrate(dataSource);
      const created = await app.get(FirstAccounts).ensure();
      await app.get(SandboxRoutes).ensure();
      await app.get(SandboxChat).ensure();
      return [...applied.map((name) => `Applied the migration ${name}`), ...created];
    });
    for (const line of lines) process.stdout.write(`${line}\n`);
  } finally {
    await app.close();
  }
}

prepare().then(
  () => process.exit(0),
  (error: unknown) => {
    const text =
      error instanceof InvalidEnvironment ? error.message : `The database could not be prepared: ${String(error)}`;
    process.stderr.write(`${text}\n`);
    process.exit(1);
  },
);
