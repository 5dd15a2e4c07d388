import { type BeforeApplicationShutdown, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { PeriodicTask } from '../../../platform/concurrency/index.js';
import { safeError } from '../../../platform/observability/index.js';
import { SubmissionQueue } from '../persistence/submission-queue.js';
import { TemplateSubmitter } from './template-submitter.js';

const SWEEP_EVERY_MS = 1_000;
const MOST_AT_ONCE = 10;

/** Once a second: hands what waits in the queue to the upstream. Any number of workers may do so side by side. */
@Injectable()
export class SubmissionSweeper implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly logger = new Logger(SubmissionSweeper.name);
  private readonly task = new PeriodicTask(
    SWEEP_EVERY_MS,
    () => this.sweep(),
    (error) => this.logger.warn({ err: safeError(error) }, 'submissions could not be read'),
  );

  constructor(
    private readonly queue: SubmissionQueue,
    private readonly submitter: TemplateSubmitter,
  ) {}

  onApplicationBootstrap(): void {
    this.task.start();
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.task.stop();
  }

  private async sweep(): Promise<void> {
    const submissions = await this.queue.take(MOST_AT_ONCE);
    await Promise.all(
      submissions.map((submission) =>
        this.submitter.work(submission).catch((error: unknown) => {
          const { templateId, attempts } = submission;
          this.logger.warn({ templateId, attempts, err: safeError(error) }, 'template not handed in, trying again');
        }),
      ),
    );
  }
}
