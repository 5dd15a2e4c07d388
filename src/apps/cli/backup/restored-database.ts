import { type DynamicModule, Global, type INestApplicationContext, Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { AccountDirectoryModule, AuditLog } from '../../../modules/accounts/index.js';
import { CHANNELS } from '../../../modules/channels/index.js';
import {
  ChannelsModule,
  EngineDispatchModule,
  EngineModule,
  RestoredCampaigns,
  RestoreFence,
} from '../../../modules/engine/index.js';
import { InboundReceptionModule } from '../../../modules/inbound-messages/index.js';
import { SessionFence, SessionFenceModule } from '../../../modules/session-messages/index.js';
import { SuppressionListModule } from '../../../modules/suppressions/index.js';
import { WebhookEventsModule } from '../../../modules/webhooks/index.js';
import { type Environment, ENVIRONMENT } from '../../../platform/config/index.js';
import { inTransaction, MigratingDatabaseModule } from '../../../platform/database/index.js';
import { Metrics } from '../../../platform/observability/index.js';
import { LeaderTasksModule } from '../../../platform/periodic/index.js';
import { SecurityModule } from '../../../platform/security/index.js';
import { Failure } from '../terminal.js';

const REASON = 'command line';
const PAGE = 500;

type UndecidedCampaign = Awaited<ReturnType<RestoredCampaigns['undecided']>>[number];
export type Fenced = Awaited<ReturnType<RestoreFence['raise']>> & { sessions: number };

/** Operator actions on a restored database (docs/operate/backup.md). */
@Injectable()
class RestoredDatabase {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly fence: RestoreFence,
    private readonly sessions: SessionFence,
    private readonly campaigns: RestoredCampaigns,
    private readonly audit: AuditLog,
  ) {}

  async migrate(): Promise<number> {
    return (await this.dataSource.runMigrations({ transaction: 'each' })).length;
  }

  // `takenAt` null = unknown; `resumeUnsent` = nothing was sent since
  async takeIntoUse(takenAt: string | null, resumeUnsent: boolean): Promise<Fenced | null> {
    let fenced: Fenced | null = null;
    if (resumeUnsent) await this.fence.keepOut();
    else fenced = { ...(await this.fence.raise()), sessions: await this.sessions.raise() };
    await inTransaction(this.dataSource, (tx) =>
      this.audit.record(tx, {
        ...{ actor: null, action: 'database.restore', subject: takenAt ?? 'unknown' },
        details: { ...(fenced ?? { resume_unsent: true }), reason: REASON },
      }),
    );
    return fenced;
  }

  async *undecided(requestId?: string): AsyncGenerator<UndecidedCampaign> {
    for (let after = 0; ;) {
      const page = await this.campaigns.undecided(after, PAGE, requestId);
      yield* page;
      after = page.at(-1)?.id ?? after;
      if (page.length < PAGE) return;
    }
  }

  async resume(campaign: UndecidedCampaign): Promise<void> {
    const { requestId: subject, mayHaveLeft: recipients } = campaign;
    await this.campaigns.resume(campaign);
    await inTransaction(this.dataSource, (tx) =>
      this.audit.record(tx, {
        ...{ actor: null, action: 'campaign.resume-unsent', subject },
        details: { recipients, reason: REASON },
      }),
    );
  }

  async one(requestId: string): Promise<UndecidedCampaign> {
    for await (const campaign of this.undecided(requestId)) return campaign;
    throw new Failure(`A restore has left nothing undecided of ${requestId}`);
  }
}

@Global()
@Module({ providers: [Metrics], exports: [Metrics] })
class CountersModule {}

@Module({
  imports: [
    CountersModule,
    SecurityModule,
    LeaderTasksModule,
    MigratingDatabaseModule,
    AccountDirectoryModule,
    ChannelsModule.of(CHANNELS),
    EngineModule,
    EngineDispatchModule,
    InboundReceptionModule,
    SessionFenceModule,
    SuppressionListModule,
    WebhookEventsModule,
  ],
  providers: [RestoredDatabase],
})
class RestoreModule {
  static on(environment: Environment): DynamicModule {
    @Global()
    @Module({ providers: [{ provide: ENVIRONMENT, useValue: environment }], exports: [ENVIRONMENT] })
    class GivenEnvironmentModule {}
    return { module: RestoreModule, imports: [GivenEnvironmentModule] };
  }
}

/** Runs work on the restored database of an environment. */
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
