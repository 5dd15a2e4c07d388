import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { LaneQueues, RelayBell } from '../../../platform/queues/index.js';
import { LaneStore } from '../persistence/lane-store.js';
import { WorkerQueues } from './worker-queues.js';

const LOOK_EVERY_MS = 500;
const LANES_A_LOOK = 500;

/**
 * The only one who puts lanes into Bull: at a bell, and every half second. A job that Redis loses is made again, because
 * the lane's `wake_at` comes round (docs/decisions/0002).
 */
@Injectable()
export class Relay implements OnApplicationBootstrap {
  private readonly logger = new Logger(Relay.name);
  private timer: NodeJS.Timeout | null = null;
  private looking: Promise<void> | null = null;
  private again = false;
  private stopped = false;

  constructor(
    private readonly queues: LaneQueues,
    private readonly lanes: LaneStore,
    private readonly bell: RelayBell,
    private readonly selected: WorkerQueues,
  ) {}

  onApplicationBootstrap(): void {
    this.bell.listen(() => this.look());
    this.timer = setInterval(() => this.look(), LOOK_EVERY_MS);
  }

  async stop(): Promise<void> {
    this.stopped = true;
    if (this.timer) clearInterval(this.timer);
    await this.looking;
  }

  private look(): void {
    if (this.stopped) return;
    if (this.looking) {
      this.again = true;
      return;
    }
    this.looking = this.relay()
      .catch((error: unknown) => this.logger.warn({ err: error }, 'lanes could not be queued, trying again'))
      .finally(() => {
        this.looking = null;
        if (this.again) {
          this.again = false;
          this.look();
        }
      });
  }

  private async relay(): Promise<void> {
    for (;;) {
      const due = await this.lanes.takeDue(this.selected.channels, LANES_A_LOOK);
      let left = due;
      try {
        for (const channel of new Set(due.map((lane) => lane.channel))) {
          const lanes = due.filter((lane) => lane.channel === channel);
          await this.queues.add(
            channel,
            lanes.map(({ campaignId, lane, fence }) => ({ campaignId, lane, fence })),
          );
          left = left.filter((lane) => lane.channel !== channel);
        }
      } catch (error) {
        // Redis is away: the lanes are due again at once, and leave when it is back.
        for (const lane of left) await this.lanes.postpone(lane, LOOK_EVERY_MS);
        throw error;
      }
      if (due.length < LANES_A_LOOK || this.stopped) return;
    }
  }
}
