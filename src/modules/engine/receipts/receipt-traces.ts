import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { TRACING, type Tracing } from '../../../platform/observability/index.js';
import { CampaignTraces } from '../state/campaign-traces.js';

/** Says in the traces of campaigns how many receipts of theirs a batch has written. */
@Injectable()
export class ReceiptTraces {
  constructor(
    @Inject(TRACING) private readonly tracing: Tracing,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly traces: CampaignTraces,
  ) {}

  /**
   * After the commit; carriers do not wait for it.
   * @param campaignIds one for each receipt
   */
  async tell(campaignIds: readonly number[]): Promise<void> {
    if (!this.tracing.isOn || campaignIds.length === 0) return;
    const counts = new Map<number, number>();
    for (const id of campaignIds) counts.set(id, (counts.get(id) ?? 0) + 1);
    const parents = await this.traces.of(this.dataSource, counts.keys()).catch(() => new Map<number, string>());
    for (const [id, parent] of parents) {
      this.tracing.start('receipts', { parent, facts: { 'switchboard.receipts': counts.get(id) ?? 0 } }).end();
    }
  }
}
