import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { now } from '../../kernel/clock.js';
import { PeriodicTask } from '../../platform/concurrency/index.js';
import { safeError } from '../../platform/observability/index.js';
import { AudioStore } from './persistence/audio-store.js';

const SWEEP_EVERY_MS = 10 * 60_000;
/** A request that found the audio before it was swept is long over by then. */
const SPARED_MS = 24 * 3_600_000;

/** Every ten minutes: removes audio that no campaign plays. Any number of workers may do so side by side. */
@Injectable()
export class AudioSweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(AudioSweeper.name);
  private readonly task = new PeriodicTask(
    SWEEP_EVERY_MS,
    () => this.sweep(),
    (error) => this.logger.warn({ err: safeError(error) }, 'audio could not be swept'),
  );

  constructor(private readonly store: AudioStore) {}

  onApplicationBootstrap(): void {
    this.task.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.task.stop();
  }

  /** Removes all that is due; ends early when the process stops. */
  async sweep(): Promise<void> {
    const before = new Date(now().getTime() - SPARED_MS);
    while ((await this.store.sweep(before)) && !this.task.isStopped);
  }
}
