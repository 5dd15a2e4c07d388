import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { PeriodicTask } from '../../../platform/concurrency/index.js';
import { LeaderGate } from '../../../platform/periodic/index.js';
import { type DueRoute, firstJob, RelayNotifier } from '../../../platform/queues/index.js';
import { DueLanes } from './due-lanes.js';
import { JobOffers, WorkerQueues } from './job-routing.js';
import { UrgentBound } from './urgent-bound.js';

const POLL_EVERY_MS = 500;

/** Queues route jobs on notification, and every 500 ms from MySQL, so that jobs lost by Redis return (docs/decisions/0002). */
@Injectable()
export class Relay implements OnApplicationBootstrap {
  private readonly logger = new Logger(Relay.name);
  private readonly task = new PeriodicTask(
    POLL_EVERY_MS,
    () => this.poll(),
    (error) => this.logger.warn({ err: error }, 'route jobs could not be queued, trying again'),
  );

  constructor(
    private readonly offers: JobOffers,
    private readonly due: DueLanes,
    private readonly notifier: RelayNotifier,
    private readonly selected: WorkerQueues,
    private readonly gate: LeaderGate,
    private readonly urgent: UrgentBound,
  ) {}

  onApplicationBootstrap(): void {
    this.notifier.listen(this.selected.names, (due) => {
      if (due.some(({ single }) => single)) this.urgent.received();
      return this.enqueue(due).catch((error: unknown) => this.logger.warn({ err: error }, 'a notification was lost'));
    });
    this.task.start();
  }

  stop(): Promise<void> {
    return this.task.stop();
  }

  private async poll(): Promise<void> {
    const { names } = this.selected;
    if (!names.every((name) => this.offers.isReady(name))) return;
    if (!(await this.gate.isMine(`relay ${names.join()}`, POLL_EVERY_MS))) return;
    await this.enqueue(await this.due.routes(names));
  }

  private async enqueue(due: readonly DueRoute[]): Promise<void> {
    if (this.task.isStopped) return;
    for (const channel of new Set(due.map((route) => route.channel))) {
      const jobs = due.flatMap(({ routeId, single, ...route }) => {
        if (route.channel !== channel) return [];
        return (single === undefined ? [true, false] : [single]).map((kind) => firstJob({ routeId, single: kind }));
      });
      await this.offers.add(channel, jobs);
    }
  }
}
