import { Module } from '@nestjs/common';
import { LoggerModule } from 'nestjs-pino';
import { AccountDirectoryModule } from '../../../modules/accounts/index.js';
import { RoutesModule } from '../../../modules/providers/index.js';
import { ALL_TABLES } from '../../../modules/table-rules/index.js';
import { ConfigModule, ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { MigratingDatabaseModule } from '../../../platform/database/index.js';
import { DutiesModule } from '../../../platform/duties/index.js';
import { createLogger } from '../../../platform/observability/index.js';
import { OutboundModule } from '../../../platform/outbound/index.js';
import { SecurityModule } from '../../../platform/security/index.js';
import { TablesModule } from '../../../platform/tables/index.js';
import { FirstAccounts } from './first-accounts.js';
import { SandboxChat } from './sandbox-chat.js';
import { SandboxRoutes } from './sandbox-routes.js';

/** What a database needs before the processes start. */
@Module({
  imports: [
    ConfigModule,
    MigratingDatabaseModule,
    SecurityModule,
    DutiesModule,
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
