import { type BeforeApplicationShutdown, Injectable, Logger } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { AppError } from '../../kernel/errors.js';
import type { SingleRun } from '../../platform/concurrency/index.js';
import { inTransaction } from '../../platform/database/index.js';
import { DueWatch } from '../../platform/periodic/index.js';
import { safeError } from '../../platform/observability/index.js';
import { ChatAccounts, type TemplateAccount, TemplateClient, type TemplateCopy } from '../providers/index.js';
import { type TemplateSubmission, SubmissionQueue } from './submissions.store.js';
import { TemplateFiller } from './template-filler.js';
import { ProviderReviews } from './template-status.js';
import { statusAfter, type Template, TemplateStatus } from './template.js';
import { TemplateLibrary, TemplateStore } from './templates.store.js';

const WAITING = 'PENDING';

/** Submits one change of a template to the provider: its content, or its removal. */
@Injectable()
export class TemplateSubmitter {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly accounts: ChatAccounts,
    private readonly library: TemplateLibrary,
    private readonly store: TemplateStore,
    private readonly queue: SubmissionQueue,
    private readonly reviews: ProviderReviews,
    private readonly filler: TemplateFiller,
    private readonly client: TemplateClient,
  ) {}

  /** Processes one row; a permanent refusal rejects the template with the provider's text, other faults are retried. */
  async work(submission: TemplateSubmission): Promise<void> {
    const account = await this.accountOf(submission.accountId);
    if (!account) return this.drop(submission);
    const attempt = { mayHaveLeft: false };
    try {
      await (submission.action === 'remove'
        ? this.removeCopies(account, submission)
        : this.submit(account, submission, attempt));
    } catch (error) {
      if (error instanceof AppError && error.kind === 'unprocessable') return this.refuse(submission, error.message);
      await this.queue.postpone(submission, attempt.mayHaveLeft);
      throw error;
    }
  }

  // The business account of the official connection, else of the branded one.
  private async accountOf(accountId: number): Promise<TemplateAccount | null> {
    for (const connection of ['official', 'branded'] as const) {
      const account = await this.accounts.find(accountId, connection);
      if (account?.wabaId && account.provider !== 'other') return { ...account, wabaId: account.wabaId };
    }
    return null;
  }

  private async submit(
    account: TemplateAccount,
    submission: TemplateSubmission,
    attempt: { mayHaveLeft: boolean },
  ): Promise<void> {
    const template = await this.library.byId(submission.templateId);
    const isDisabled = template && statusAfter('disable', template.status) === null;
    if (!template || isDisabled) return this.drop(submission);
    const copy = await this.copyOf(account, template, submission);
    const hasLeft = submission.leftRevision === submission.revision;
    if (copy && hasLeft && (template.upstreamId === null || copy.status === WAITING)) {
      return this.settle(submission, copy);
    }
    // Older content is under review, and the provider refuses changes meanwhile.
    if (copy?.status === WAITING) return this.queue.postpone(submission, false);
    // The provider refuses a second template of a name until the first one is removed.
    if (!copy && (await this.queue.isLeavingName(submission.accountId, template.name))) {
      return this.queue.postpone(submission, false);
    }
    const filled = await this.filler.fill(template);
    const components = await this.client.components(account, filled);
    if (!(await this.queue.leaving(submission))) return;
    attempt.mayHaveLeft = true;
    if (!copy) return this.settle(submission, await this.client.create(account, filled, components));
    await this.client.edit(account, copy.id, filled, components);
    return this.settle(submission, { ...copy, status: WAITING, reason: null, category: null });
  }

  // Queries the provider only if the template may exist there.
  private async copyOf(
    account: TemplateAccount,
    { name, language, upstreamId }: Template,
    { leftRevision }: TemplateSubmission,
  ): Promise<TemplateCopy | null> {
    if (upstreamId === null && leftRevision === null) return null;
    const copies = await this.client.find(account, name);
    const isIt = (copy: TemplateCopy): boolean =>
      upstreamId === null ? copy.language === language.code : copy.id === upstreamId;
    return copies.find(isIt) ?? null;
  }

  private settle(submission: TemplateSubmission, copy: TemplateCopy): Promise<void> {
    return inTransaction(this.dataSource, async (tx) => {
      const template = await this.store.locked(tx, submission.templateId);
      const isCurrent = await this.queue.finish(tx, submission);
      // With another name or language, it is another template there.
      if (!template || template.name !== copy.name || template.language.code !== copy.language) return;
      await this.store.storeProviderId(tx, template.id, copy.id);
      if (!isCurrent) return;
      await this.reviews.follow(tx, template, copy.status, copy.reason);
      await this.reviews.recategorise(tx, template, { category: copy.category, upcomingCategory: null });
    });
  }

  private refuse(submission: TemplateSubmission, reason: string): Promise<void> {
    return inTransaction(this.dataSource, async (tx) => {
      const template = await this.store.locked(tx, submission.templateId);
      const isCurrent = await this.queue.finish(tx, submission);
      const rejected = template && statusAfter('reject', template.status);
      if (isCurrent && submission.action === 'submit' && template && rejected !== null) {
        await this.store.move(tx, template, TemplateStatus.Rejected, reason);
      }
    });
  }

  private async removeCopies(account: TemplateAccount, submission: TemplateSubmission): Promise<void> {
    const { name, language, upstreamId } = submission;
    const copies =
      upstreamId === ''
        ? (await this.client.find(account, name)).filter((copy) => copy.language === language)
        : [{ id: upstreamId, name }];
    for (const copy of copies) {
      if (!(await this.library.hasProviderId(submission.accountId, copy.id))) await this.client.remove(account, copy);
    }
    await this.drop(submission);
  }

  private async drop(submission: TemplateSubmission): Promise<void> {
    await inTransaction(this.dataSource, (tx) => this.queue.finish(tx, submission));
  }
}

const MOST_AT_ONCE = 10;

/** Submits due changes to the provider; several workers may do so concurrently. */
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
