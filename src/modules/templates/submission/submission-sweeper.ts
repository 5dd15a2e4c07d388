import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import type { SingleRun } from '../../../platform/concurrency/index.js';
import { DueWatch } from '../../../platform/duties/index.js';
import { safeError } from '../../../platform/observability/index.js';
import { SubmissionQueue } from '../persistence/submission-queue.js';
import { TemplateSubmitter } from './template-submitter.js';

const MOST_AT_ONCE = 10;

/** Hands what waits in the queue to the upstream. Any number of workers may do so side by side. */
@Injectable()
export class SubmissionSweeper implements BeforeApplicationShutdown {
  private readonly logger = new Logger(SubmissionSweeper.name);
  private readonly sweeps: SingleRun;

  constructor(
    watch: DueWatch,
    private readonly queue: SubmissionQueue,
    private readonly submitter: TemplateSubmitter,
  ) {
    this.sweeps = watch.register({
      name: 'template-submissions',
      isDue: 'EXISTS (SELECT 1 FROM template_submissions WHERE due_at <= UTC_TIMESTAMP(3))',
      work: () => this.sweep(),
      onFault: (error) => this.logger.warn({ err: safeError(error) }, 'submissions could not be read'),
    });
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.sweeps.stop();
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
