import { Inject, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { type Span, TRACING, type Tracing } from '../../../platform/observability/index.js';
import type { WindowResult } from '../settle/window-result.js';
import { CampaignTraces } from '../state/campaign-traces.js';
import type { LaneClaim } from './lane-claims.js';

/** Where a window leaves, as its spans say it. */
interface Leaving {
  channel: { name: string };
  route: { id: number };
}

/** The spans of one window: one a campaign, with counts, however many recipients it has. */
export class WindowSpans {
  private readonly outcomes = new Map<number, Map<string, number>>();

  constructor(private readonly spans: ReadonlyMap<number, Span>) {}

  count(results: readonly WindowResult[]): void {
    for (const { recipient, outcome } of results) {
      const { campaignId } = recipient.turn;
      if (!this.spans.has(campaignId)) continue;
      const counts = this.outcomes.get(campaignId) ?? new Map<string, number>();
      counts.set(outcome.kind, (counts.get(outcome.kind) ?? 0) + 1);
      this.outcomes.set(campaignId, counts);
    }
  }

  /** What the carrier answered, in counts. */
  end(): void {
    for (const [campaignId, span] of this.spans) {
      const counts = [...(this.outcomes.get(campaignId) ?? [])];
      span.note(Object.fromEntries(counts.map(([kind, count]) => [`switchboard.outcome.${kind}`, count])));
      span.end();
    }
  }
}

/** Begins the spans of windows, in the traces of their campaigns. */
@Injectable()
export class WindowTraces {
  constructor(
    @Inject(TRACING) private readonly tracing: Tracing,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly traces: CampaignTraces,
  ) {}

  /** @returns null where no traces are recorded; never rejects: a trace holds up no message */
  async begin(claims: readonly LaneClaim[], { channel, route }: Leaving): Promise<WindowSpans | null> {
    if (!this.tracing.isOn) return null;
    const recipients = new Map<number, number>();
    for (const { turn, recipients: some } of claims) {
      recipients.set(turn.campaignId, (recipients.get(turn.campaignId) ?? 0) + some.length);
    }
    const parents = await this.traces.of(this.dataSource, recipients.keys()).catch(() => new Map<number, string>());
    const spans = [...parents].map(([campaignId, parent]): [number, Span] => {
      const facts = {
        'switchboard.channel': channel.name,
        'switchboard.route_id': route.id,
        'switchboard.recipients': recipients.get(campaignId) ?? 0,
      };
      return [campaignId, this.tracing.start('send window', { kind: 'client', parent, facts })];
    });
    return spans.length > 0 ? new WindowSpans(new Map(spans)) : null;
  }
}
