import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Rounds } from '../../../kernel/rounds.js';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { inTransaction } from '../../../platform/database/index.js';
import { ParkedReceipts } from './parked-receipts.js';
import { OverdueReceipts } from './overdue-receipts.js';

const ROUND_EVERY_MS = 1_000;
/** Parked receipts find their message within seconds, or wait for a dead worker's window: the old ones are looked at once a minute. */
const FRESH_MS = 120_000;
const ALL_EVERY_ROUNDS = 60;

/** Once a second: receipts that came too early or for an unknown outcome, and recipients whose receipt never came. */
@Injectable()
export class ReceiptSweeper implements OnApplicationBootstrap {
  private readonly logger = new Logger(ReceiptSweeper.name);
  private readonly rounds = new Rounds(
    ROUND_EVERY_MS,
    () => this.round(),
    (error) => this.logger.warn({ err: error }, 'sweep failed, trying again'),
  );
  private count = 0;

  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly parked: ParkedReceipts,
    private readonly overdue: OverdueReceipts,
  ) {}

  onApplicationBootstrap(): void {
    this.rounds.start();
  }

  stop(): Promise<void> {
    return this.rounds.stop();
  }

  private async round(): Promise<void> {
    const all = this.count++ % ALL_EVERY_ROUNDS === 0;
    await this.parked.sweep(this.environment.RECEIPT_TIMEOUT, all ? null : FRESH_MS);
    const campaigns = await inTransaction(this.dataSource, (tx) => this.overdue.take(tx));
    for (const campaign of campaigns) {
      if (this.rounds.areStopped) return; // taken for a minute only: another worker looks
      await this.overdue.sweep(campaign, this.environment.RECEIPT_TIMEOUT);
    }
  }
}
