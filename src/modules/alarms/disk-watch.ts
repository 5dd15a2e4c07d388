import type { StatsFs } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, resolve } from 'node:path';
import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { PeriodicTask } from '../../platform/concurrency/index.js';
import { ENVIRONMENT, type Environment } from '../../platform/config/index.js';
import { Metrics, safeError } from '../../platform/observability/index.js';
import { DiskShortages } from './alarms.store.js';

const POLL_EVERY_MS = 60_000;

/** Measures the disk of `DATA_DIR` with the submit log, which only this process can see; writes shortages to the database. */
@Injectable()
export class DiskWatch implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(DiskWatch.name);
  private readonly of: { host: string; directory: string };
  private readonly gauges;
  private isShort = false;
  private readonly task = new PeriodicTask(
    POLL_EVERY_MS,
    () => this.poll(),
    (error) => this.logger.warn({ err: safeError(error) }, 'the free space of the disk could not be read'),
    0.1,
  );

  constructor(
    @Inject(ENVIRONMENT)
    private readonly environment: Pick<Environment, 'DATA_DIR' | 'ALARM_INTERVAL' | 'ALARM_DISK_FREE'>,
    private readonly shortages: DiskShortages,
    metrics: Metrics,
  ) {
    this.of = { host: hostname(), directory: resolve(environment.DATA_DIR) };
    const labels = ['host', 'directory'] as const;
    this.gauges = {
      free: metrics.gauge('switchboard_disk_free_bytes', 'Free room on the disk under DATA_DIR', [...labels]),
      size: metrics.gauge('switchboard_disk_size_bytes', 'Size of the disk under DATA_DIR', [...labels]),
    };
  }

  onApplicationBootstrap(): void {
    if (this.environment.ALARM_INTERVAL > 0) this.task.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.task.stop();
  }

  async poll(): Promise<void> {
    const { bavail, blocks, bsize } = await statfsOf(this.of.directory);
    const [free, size] = [bavail * bsize, blocks * bsize];
    this.gauges.free.set(this.of, free);
    this.gauges.size.set(this.of, size);
    const wasShort = this.isShort;
    this.isShort = size > 0 && (100 * free) / size < this.environment.ALARM_DISK_FREE;
    if (this.isShort) await this.shortages.record({ ...this.of, free, size });
    else if (wasShort) await this.shortages.remove(this.of);
  }
}

/** Stats the directory, or its nearest existing parent. */
async function statfsOf(directory: string): Promise<StatsFs> {
  try {
    return await statfs(directory);
  } catch (error) {
    const above = dirname(directory);
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || above === directory) throw error;
    return statfsOf(above);
  }
}
