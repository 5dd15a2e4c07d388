import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { Channels, OldestDue } from '../../engine/index.js';
import { RouteDirectory } from '../../providers/index.js';
import type { AlarmCheck, Finding } from '../domain/kinds.js';

/** Something is due, its route lets messages through, and no worker takes it. Routes with a pace may have work for hours. */
@Injectable()
export class MessageLate implements AlarmCheck {
  readonly kind = 'message_late';

  constructor(
    private readonly due: OldestDue,
    private readonly routes: RouteDirectory,
    private readonly channels: Channels,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'ALARM_LATE_AFTER'>,
  ) {}

  async find(): Promise<Finding[]> {
    const threshold = this.environment.ALARM_LATE_AFTER / 1000;
    const oldest = new Map<string, number>();
    for (const { channel, routeId, waitedMs, isFree } of await this.due.first(this.channels.names)) {
      if (!isFree || (await this.routes.byId(routeId))?.messagesPerSecond) continue;
      oldest.set(channel, Math.max(oldest.get(channel) ?? 0, Math.floor(waitedMs / 1000)));
    }
    return [...oldest].flatMap(([channel, seconds]): Finding[] => {
      if (seconds < threshold) return [];
      const message = `The oldest ${channel} message has been due for ${seconds} s, and no worker has taken it`;
      return [{ subject: channel, message, value: seconds, threshold }];
    });
  }
}
