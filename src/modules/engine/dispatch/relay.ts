import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Rounds } from '../../../kernel/rounds.js';
import { LaneQueues, RelayBell } from '../../../platform/queues/index.js';
import { LaneStore } from './lane-store.js';
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
  private readonly rounds = new Rounds(
    LOOK_EVERY_MS,
    () => this.relay(),
    (error) => this.logger.warn({ err: error }, 'lanes could not be queued, trying again'),
  );

  constructor(
    private readonly queues: LaneQueues,
    private readonly lanes: LaneStore,
    private readonly bell: RelayBell,
    private readonly selected: WorkerQueues,
  ) {}

  onApplicationBootstrap(): void {
    this.bell.listen(() => this.rounds.ring());
    this.rounds.start();
  }

  stop(): Promise<void> {
    return this.rounds.stop();
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
      if (due.length < LANES_A_LOOK || this.rounds.areStopped) return;
    }
  }
}
