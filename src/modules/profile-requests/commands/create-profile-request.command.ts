import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { inTransaction } from '../../../platform/database/index.js';
import { type Account, AuditLog } from '../../accounts/index.js';
import { assertWithin } from '../../quotas/index.js';
import type { ProfileContent, ProfileRequest } from '../domain/profile-request.js';
import { isAlreadyPending, ProfileRequestStore } from '../persistence/profile-request-store.js';
import { ProfileRequestEntity } from '../persistence/profile-request.entity.js';
import { profileErrors } from '../profile-requests.errors.js';

/**
 * Asks for a display name to be verified. An identical pending request stands for the new one
 * (reference/profile-requests#create), also when many come at once.
 * @throws AppError invalid `At most <PROFILE_REQUESTS_PER_ACCOUNT> profile requests are allowed`
 */
export class CreateProfileRequestCommand extends Command<{ request: ProfileRequest; duplicate: boolean }> {
  constructor(
    readonly actor: Account,
    readonly content: ProfileContent,
  ) {
    super();
  }
}

/** The twin may be gone before it is read, and another may come: this race is not lost many times in a row. */
const MOST_TRIES = 10;

@CommandHandler(CreateProfileRequestCommand)
export class CreateProfileRequestHandler implements ICommandHandler<CreateProfileRequestCommand> {
  constructor(
    @Inject(ENVIRONMENT) private readonly environment: Environment,
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly store: ProfileRequestStore,
    private readonly audit: AuditLog,
  ) {}

  async execute({
    actor,
    content,
  }: CreateProfileRequestCommand): Promise<{ request: ProfileRequest; duplicate: boolean }> {
    for (let tries = 1; ; tries++) {
      try {
        const request = await inTransaction(this.dataSource, (tx) => this.create(tx, actor, content));
        return { request, duplicate: false };
      } catch (error) {
        if (!isAlreadyPending(error)) throw error;
        const request = await this.store.pending(actor.id, content);
        if (request) return { request, duplicate: true };
        if (tries === MOST_TRIES) throw error;
      }
    }
  }

  private async create(tx: EntityManager, actor: Account, content: ProfileContent): Promise<ProfileRequest> {
    const request = await this.store.create(tx, actor.id, content);
    const quota = {
      accountId: actor.id,
      kind: 'profile_requests',
      most: this.environment.PROFILE_REQUESTS_PER_ACCOUNT,
    } as const;
    await assertWithin(tx, quota, ProfileRequestEntity, profileErrors.tooMany);
    const details = { verified_name: request.verifiedName, channel: request.channel };
    const entry = { actor, action: 'profile_request.create', subject: String(request.id), details };
    await this.audit.record(tx, entry);
    return request;
  }
}
