import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { type Span, TRACING, type Tracing } from '../../../platform/observability/index.js';
import { CampaignTraces } from '../../engine/index.js';

/** Of a larger campaign the deliveries about its first recipients are in its trace, not those about hundreds of thousands. */
const MOST_RECIPIENTS = 20;

/** Puts tries of events about recipients into the traces of their campaigns. */
@Injectable()
export class DeliveryTraces {
  constructor(
    @Inject(TRACING) private readonly tracing: Tracing,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly traces: CampaignTraces,
  ) {}

  /** @returns null where none is recorded; never rejects */
  async begin(eventId: string): Promise<Span | null> {
    if (!this.tracing.isOn) return null;
    try {
      const [event] = await this.dataSource.query<{ campaign_id: number | null; type: string }[]>(
        'SELECT campaign_id, type FROM webhook_events WHERE id = ? AND seq <= ? LIMIT 1',
        [eventId, MOST_RECIPIENTS],
      );
      if (!event || event.campaign_id === null) return null;
      const id = Number(event.campaign_id);
      const parent = (await this.traces.of(this.dataSource, [id])).get(id);
      if (parent === undefined) return null;
      return this.tracing.start('webhook', { kind: 'client', parent, facts: { 'switchboard.event': event.type } });
    } catch {
      return null;
    }
  }
}
