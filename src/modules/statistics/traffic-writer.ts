import {
  type BeforeApplicationShutdown,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { PeriodicTask } from '../../platform/concurrency/index.js';
import { CommitUnknown } from '../../platform/database/index.js';
import { safeError } from '../../platform/observability/index.js';
import { type Tally, Traffic } from '../traffic/index.js';
import { TrafficStore } from './persistence/traffic-store.js';
import { TrafficMetrics } from './traffic-metrics.js';

const WRITE_EVERY_MS = 5_000;
/** While the database is away; the oldest go. */
const MOST_UNWRITTEN = 50_000;

/** Writes what this process has counted, every few seconds and when it stops; nothing while nothing was counted. */
@Injectable()
export class TrafficWriter implements OnApplicationBootstrap, BeforeApplicationShutdown, OnApplicationShutdown {
  private readonly logger = new Logger(TrafficWriter.name);
  private unwritten: Tally[] = [];
  private last = Promise.resolve();
  private readonly task = new PeriodicTask(
    WRITE_EVERY_MS,
    () => this.write(),
    (error) => this.logger.warn({ err: safeError(error) }, 'statistics could not be written'),
    0.2,
  );

  constructor(
    private readonly traffic: Traffic,
    private readonly store: TrafficStore,
    private readonly metrics: TrafficMetrics,
  ) {}

  onApplicationBootstrap(): void {
    this.traffic.begin();
    this.task.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.task.stop();
  }

  /** What the last windows and receipts have counted. */
  async onApplicationShutdown(): Promise<void> {
    await this.write().catch((error: unknown) => this.logger.warn({ err: safeError(error) }, 'statistics are lost'));
  }

  /** Writes what was counted until now; one write at a time. */
  write(): Promise<void> {
    const write = this.last.then(() => this.writeAll());
    this.last = write.catch(() => undefined);
    return write;
  }

  /** What may have been written is not written again: statistics may lack seconds, and never count twice. */
  private async writeAll(): Promise<void> {
    const fresh = this.traffic.take();
    if (fresh.length > 0) await this.metrics.show(fresh);
    this.unwritten = [...this.unwritten, ...fresh].slice(-MOST_UNWRITTEN);
    try {
      await this.store.add(this.unwritten);
      this.unwritten = [];
    } catch (error) {
      if (error instanceof CommitUnknown) this.unwritten = [];
      throw error;
    }
  }
}
