import { Inject, Injectable } from '@nestjs/common';
import { now } from '../../../kernel/clock.js';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import type { TrafficPoint } from '../../statistics/index.js';
import type { AlarmCheck, Finding } from '../domain/kinds.js';
import { RouteTrafficReader } from './route-traffic.js';

/** Fewer messages may all have gone to handsets that are off. */
const FEWEST_SENT = 20;
/** So many receipts in the past say that the route has any. */
const FEWEST_BEFORE = 20;
/** Of the time without a receipt: what was sent later may still be on its way. */
const WAITED_SHARE = 1 / 3;

/** A route that had receipts sends, and none come any more. */
@Injectable()
export class ReceiptsSilent implements AlarmCheck {
  readonly kind = 'receipts_silent';

  constructor(
    private readonly traffic: RouteTrafficReader,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'ALARM_RECEIPTS_SILENT'>,
  ) {}

  async find(): Promise<Finding[]> {
    const { ALARM_RECEIPTS_SILENT: silentMs } = this.environment;
    const until = now().getTime() - silentMs * WAITED_SHARE;
    const found: Finding[] = [];
    for (const { name, lately, past } of await this.traffic.read(silentMs)) {
      const sent = sumOf(
        lately.filter(({ at }) => at.getTime() <= until),
        'sent',
      );
      if (sent < FEWEST_SENT || sumOf(lately, 'receipts') > 0 || sumOf(past, 'receipts') < FEWEST_BEFORE) continue;
      const minutes = Math.max(1, Math.round(silentMs / 60_000));
      const message = `Route ${name} has sent ${sent} messages, and no receipt has come for ${minutes} min`;
      found.push({ subject: name, message, value: sent, threshold: FEWEST_SENT });
    }
    return found;
  }
}

const sumOf = (points: readonly TrafficPoint[], figure: 'sent' | 'receipts'): number =>
  points.reduce((sum, { figures }) => sum + figures[figure], 0);
