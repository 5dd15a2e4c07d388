import {
  type BeforeApplicationShutdown,
  Inject,
  Injectable,
  Logger,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { now } from '../../kernel/clock.js';
import { ENVIRONMENT, type Environment } from '../../platform/config/index.js';
import { DutyGate, SharedTask } from '../../platform/duties/index.js';
import { safeError } from '../../platform/observability/index.js';
import { AudioStore } from './persistence/audio-store.js';

const SWEEP_EVERY_MS = 10 * 60_000;
/** A request that found the audio before it was marked is long over by then. */
const SPARED_MS = 24 * 3_600_000;
const MARK_EVERY_MS = 12 * 3_600_000;

/**
 * Every ten minutes, one worker for all: removes audio that no campaign has played for a day; twice a day it looks for such audio, where
 * campaigns are not kept for ever.
 */
@Injectable()
export class AudioSweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(AudioSweeper.name);
  private readonly task: SharedTask;
  private markedAt = -Infinity;

  constructor(
    private readonly gate: DutyGate,
    private readonly store: AudioStore,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'RETENTION_DAYS'>,
  ) {
    this.task = new SharedTask(gate, {
      name: 'audio-sweep',
      everyMs: SWEEP_EVERY_MS,
      work: () => this.sweep(),
      onFault: (error) => this.logger.warn({ err: safeError(error) }, 'audio could not be swept'),
    });
  }

  onApplicationBootstrap(): void {
    this.task.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.task.stop();
  }

  /** Removes all that is due; ends early when the process stops. */
  async sweep(): Promise<void> {
    const mayMark = this.environment.RETENTION_DAYS > 0 && performance.now() - this.markedAt > MARK_EVERY_MS;
    if (mayMark && (await this.gate.isMine('audio-mark', MARK_EVERY_MS))) await this.mark();
    const before = new Date(now().getTime() - SPARED_MS);
    while ((await this.store.sweep(before)) && !this.task.isStopped);
  }

  private async mark(): Promise<void> {
    for (let after: number | null = 0; after !== null && !this.task.isStopped;)
      after = await this.store.markUnused(after);
    this.markedAt = performance.now();
  }
}
