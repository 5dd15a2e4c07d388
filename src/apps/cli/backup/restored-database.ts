import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { AuditLog } from '../../../modules/accounts/index.js';
import {
  type FencedCopy,
  RestoredCampaigns,
  RestoreFence,
  type UndecidedCampaign,
} from '../../../modules/engine/index.js';
import { SessionFence } from '../../../modules/session-messages/index.js';
import { inTransaction } from '../../../platform/database/index.js';
import { Failure } from '../failure.js';

const REASON = 'command line';
const PAGE = 500;

/** What became of a copy. */
export type Fenced = FencedCopy & { sessions: number };

/** What operators do with a restored database (docs/operate/backup.md). */
@Injectable()
export class RestoredDatabase {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly fence: RestoreFence,
    private readonly sessions: SessionFence,
    private readonly campaigns: RestoredCampaigns,
    private readonly audit: AuditLog,
  ) {}

  /** Applies what is missing in a copy of an older version. @returns how many migrations */
  async migrate(): Promise<number> {
    return (await this.dataSource.runMigrations({ transaction: 'each' })).length;
  }

  /** @param takenAt of the copy; null = unknown @param resumeUnsent nothing has left since */
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

  /** @throws Failure when a restore has left nothing undecided of it */
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

  /** @throws Failure when a restore has left nothing undecided of it */
  async one(requestId: string): Promise<UndecidedCampaign> {
    for await (const campaign of this.undecided(requestId)) return campaign;
    throw new Failure(`A restore has left nothing undecided of ${requestId}`);
  }
}
