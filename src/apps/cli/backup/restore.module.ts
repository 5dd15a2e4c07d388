import { type DynamicModule, Global, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { INestApplicationContext } from '@nestjs/common';
import { AccountDirectoryModule } from '../../../modules/accounts/index.js';
import { CHANNELS } from '../../../modules/channels/index.js';
import { ChannelsModule, EngineDispatchModule, EngineModule } from '../../../modules/engine/index.js';
import { SessionFenceModule } from '../../../modules/session-messages/index.js';
import { SuppressionListModule } from '../../../modules/suppressions/index.js';
import { WebhookEventsModule } from '../../../modules/webhooks/index.js';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { MigratingDatabaseModule } from '../../../platform/database/index.js';
import { DutiesModule } from '../../../platform/duties/index.js';
import { Metrics } from '../../../platform/observability/index.js';
import { SecurityModule } from '../../../platform/security/index.js';
import { RestoredDatabase } from './restored-database.js';

/** Counters without what serves them. */
@Global()
@Module({ providers: [Metrics], exports: [Metrics] })
class CountersModule {}

/** What a restored database needs of the engine. It starts nothing by itself. */
@Module({
  imports: [
    CountersModule,
    SecurityModule,
    DutiesModule,
    MigratingDatabaseModule,
    AccountDirectoryModule,
    ChannelsModule.of(CHANNELS),
    EngineModule,
    EngineDispatchModule,
    SessionFenceModule,
    SuppressionListModule,
    WebhookEventsModule,
  ],
  providers: [RestoredDatabase],
})
class RestoreModule {
  /** The environment of this process, or one that points at another database. */
  static on(environment: Environment): DynamicModule {
    @Global()
    @Module({ providers: [{ provide: ENVIRONMENT, useValue: environment }], exports: [ENVIRONMENT] })
    class GivenEnvironmentModule {}
    return { module: RestoreModule, imports: [GivenEnvironmentModule] };
  }
}

/** Work on a restored database. */
export async function onRestored<T>(
  environment: Environment,
  work: (database: RestoredDatabase) => Promise<T>,
): Promise<T> {
  const app: INestApplicationContext = await NestFactory.createApplicationContext(RestoreModule.on(environment), {
    logger: false,
    abortOnError: false,
  });
  try {
    return await work(app.get(RestoredDatabase));
  } finally {
    await app.close();
  }
}
