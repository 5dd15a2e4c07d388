import { Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { getDataSourceToken } from '@nestjs/typeorm';
import { LoggerModule } from 'nestjs-pino';
import type { DataSource } from 'typeorm';
import { AccountDirectoryModule } from '../../modules/accounts/index.js';
import { CellDirectory } from '../../modules/cell-directory/index.js';
import { RoutesModule } from '../../modules/providers/index.js';
import { ALL_TABLES } from '../../modules/table-rules/index.js';
import {
  ConfigModule,
  type Environment,
  ENVIRONMENT,
  InvalidEnvironment,
  readEnvironment,
} from '../../platform/config/index.js';
import { MigratingDatabaseModule } from '../../platform/database/index.js';
import { createLogger } from '../../platform/observability/index.js';
import { OutboundModule } from '../../platform/outbound/index.js';
import { DayMaker, LeaderTasksModule, TablesModule } from '../../platform/periodic/index.js';
import { SecurityModule } from '../../platform/security/index.js';
import { FirstAccounts } from './first-accounts.js';
import { migrate, whileLocked } from './migrate.js';
import { SandboxChat, SandboxRoutes } from './sandbox-setup.js';

@Module({
  imports: [
    ConfigModule,
    MigratingDatabaseModule,
    SecurityModule,
    LeaderTasksModule,
    LoggerModule.forRootAsync({
      inject: [ENVIRONMENT],
      useFactory: (environment: Environment) => ({ pinoHttp: { logger: createLogger(environment) }, forRoutes: [] }),
    }),
    OutboundModule,
    AccountDirectoryModule,
    RoutesModule,
    TablesModule.of(ALL_TABLES),
  ],
  providers: [FirstAccounts, SandboxChat, SandboxRoutes],
})
export class PrepareModule {}

/** Migrates and seeds, one process at a time, so every start on any host may call it. Returns lines for the operator. */
export async function prepareDatabase(): Promise<string[]> {
  const app = await NestFactory.createApplicationContext(PrepareModule, {
    logger: ['warn', 'error'],
    abortOnError: false,
  });
  try {
    const dataSource = app.get<DataSource>(getDataSourceToken());
    return await whileLocked(dataSource, async () => {
      const applied = await migrate(dataSource);
      await app.get(DayMaker).makeDays(Infinity);
      if (readEnvironment().CELL !== undefined) await app.get(CellDirectory).prepare();
      const created = await app.get(FirstAccounts).ensure();
      await app.get(SandboxRoutes).ensure();
      await app.get(SandboxChat).ensure();
      return [...applied.map((name) => `Applied the migration ${name}`), ...created];
    });
  } finally {
    await app.close();
  }
}

export function preparationFault(error: unknown): string {
  return error instanceof InvalidEnvironment ? error.message : `The database could not be prepared: ${String(error)}`;
}
