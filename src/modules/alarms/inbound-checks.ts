import { Injectable } from '@nestjs/common';
import { InboundAlarms, type RouteCount } from '../inbound-messages/index.js';
import { RouteDirectory } from '../providers/index.js';
import type { AlarmCheck, Finding } from './alarm-kinds.js';

async function findingsOf(
  routes: RouteDirectory,
  counts: readonly RouteCount[],
  message: (count: number, route: string) => string,
): Promise<Finding[]> {
  return Promise.all(
    counts.map(async ({ routeId, count }) => {
      const subject = (await routes.byId(routeId))?.name ?? String(routeId);
      return { subject, message: message(count, subject), value: count, threshold: 1 };
    }),
  );
}

/** Texts that belong to no account lie in the operator's inbox. */
@Injectable()
export class InboundUnowned implements AlarmCheck {
  readonly kind = 'inbound_unowned';

  constructor(
    private readonly texts: InboundAlarms,
    private readonly routes: RouteDirectory,
  ) {}

  async find(): Promise<Finding[]> {
    return findingsOf(
      this.routes,
      await this.texts.unowned(),
      (count, route) => `${count} inbound SMS of route ${route} belong to no account`,
    );
  }
}

/** A sender's texts want automatic answers faster than a person writes. */
@Injectable()
export class InboundAutomatic implements AlarmCheck {
  readonly kind = 'inbound_automatic';

  constructor(
    private readonly texts: InboundAlarms,
    private readonly routes: RouteDirectory,
  ) {}

  async find(): Promise<Finding[]> {
    return findingsOf(
      this.routes,
      await this.texts.automatic(),
      (count, route) => `${count} inbound SMS of route ${route} look automatic and get no answer`,
    );
  }
}
