import { Inject, Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { boundedCache } from '../../../platform/caches/index.js';
import { TRACING, type Tracing } from '../../../platform/observability/index.js';

/** A campaign and the step of its acceptance. */
interface TracedCampaign {
  id: number;
  traceParent: string;
}

const MOST_KNOWN = 20_000;

/** The traces that campaigns go on with. Where none are recorded, nothing is read and nothing is written. */
@Injectable()
export class CampaignTraces {
  private readonly known = boundedCache<number, string>(MOST_KNOWN);

  constructor(@Inject(TRACING) private readonly tracing: Tracing) {}

  /** Notes them in the transaction that writes the campaigns. */
  async keep(tx: EntityManager, campaigns: readonly TracedCampaign[]): Promise<void> {
    if (campaigns.length === 0) return;
    const ids = campaigns.map(({ id }) => id);
    const parents = campaigns.map(({ traceParent }) => traceParent);
    await tx.query('UPDATE campaigns SET trace_parent = ELT(FIELD(id, ?), ?) WHERE id IN (?)', [ids, parents, ids]);
  }

  /** By campaign; those without a trace are missing. */
  async of(tx: Pick<EntityManager, 'query'>, campaignIds: Iterable<number>): Promise<ReadonlyMap<number, string>> {
    const found = new Map<number, string>();
    if (!this.tracing.isOn) return found;
    const unknown: number[] = [];
    for (const id of new Set(campaignIds)) {
      const parent = this.known.get(id);
      if (parent === undefined) unknown.push(id);
      else if (parent !== '') found.set(id, parent);
    }
    if (unknown.length === 0) return found;
    const rows = await tx.query<{ id: number; trace_parent: string | null }[]>(
      'SELECT id, trace_parent FROM campaigns WHERE id IN (?)',
      [unknown],
    );
    for (const { id, trace_parent: parent } of rows) {
      this.known.set(Number(id), parent ?? '');
      if (parent !== null) found.set(Number(id), parent);
    }
    return found;
  }
}
