import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import type { TrafficPoint } from '../../statistics/index.js';
import type { AlarmCheck, Finding } from '../domain/kinds.js';
import { RouteTrafficReader } from './route-traffic.js';

const LATELY_MS = 30 * 60_000;
/** Fewer say nothing. */
const FEWEST_NOW = 50;
const FEWEST_BEFORE = 200;

/** Of a route less arrives than in its own past: refusals count too, which a carrier may answer to everything. */
@Injectable()
export class DeliveryRateFallen implements AlarmCheck {
  readonly kind = 'delivery_rate_fallen';

  constructor(
    private readonly traffic: RouteTrafficReader,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'ALARM_DELIVERY_DROP'>,
  ) {}

  async find(): Promise<Finding[]> {
    const { ALARM_DELIVERY_DROP: drop } = this.environment;
    const found: Finding[] = [];
    for (const { name, lately, past } of await this.traffic.read(LATELY_MS)) {
      const [is, was] = [arrived(lately), arrived(past)];
      if (is.all < FEWEST_NOW || was.all < FEWEST_BEFORE) continue;
      const [percent, before] = [is, was].map(({ delivered, all }) => Math.round((1_000 * delivered) / all) / 10) as [
        number,
        number,
      ];
      if (before - percent < drop) continue;
      const message = `Of route ${name} ${percent} % arrived in the last half hour, ${before} % in the two days before`;
      found.push({ subject: name, message, value: percent, threshold: Math.round(10 * (before - drop)) / 10 });
    }
    return found;
  }
}

function arrived(points: readonly TrafficPoint[]): { delivered: number; all: number } {
  const sum = { delivered: 0, all: 0 };
  for (const { figures } of points) {
    const { delivered, failed, refused, expired, unanswered } = figures;
    sum.delivered += delivered;
    sum.all += delivered + failed + refused + expired + unanswered;
  }
  return sum;
}
