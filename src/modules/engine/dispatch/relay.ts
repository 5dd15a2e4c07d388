import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { PeriodicTask } from '../../../platform/concurrency/index.js';
import { LaneQueues, RelayNotifier } from '../../../platform/queues/index.js';
import { LaneStore } from './lane-store.js';
import { WorkerQueues } from './worker-queues.js';

const LOOK_EVERY_MS = 500;
const LANES_A_LOOK = 500;

/**
 * The only place that puts lanes into Bull: when it is notified, and every half second. A job that Redis loses is made
 * again, because the lane's `wake_at` comes round (docs/decisions/0002).
 */
@Injectable()
export class Relay implements OnApplicationBootstrap {
  private readonly logger = new Logger(Relay.name);
  private readonly task = new PeriodicTask(
    LOOK_EVERY_MS,
    () => this.enqueueDue(),
    (error) => this.logger.warn({ err: error }, 'lanes could not be queued, trying again'),
  );

  constructor(
    private readonly queues: LaneQueues,
    private readonly lanes: LaneStore,
    private readonly notifier: RelayNotifier,
    private readonly selected: WorkerQueues,
  ) {}

  onApplicationBootstrap(): void {
    this.notifier.listen(() => void this.task.request());
    this.task.start();
  }

  stop(): Promise<void> {
    return this.task.stop();
  }

  private async enqueueDue(): Promise<void> {
    for (;;) {
      const due = await this.lanes.takeDue(this.selected.names, LANES_A_LOOK);
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
      if (due.length < LANES_A_LOOK || this.task.isStopped) return;
    }
  }
}
