import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { assertSeen } from '../../kernel/errors.js';
import { type Environment, ENVIRONMENT } from '../../platform/config/index.js';
import { inTransaction } from '../../platform/database/index.js';
import { type Account, AuditLog } from '../accounts/index.js';
import { assertWithin } from '../quotas/index.js';
import {
  isVerdict,
  mayProcess,
  type ProcessingStatus,
  type ProfileContent,
  type ProfileRequest,
  type RawProfile,
  readProfileChanges,
} from './profile-request.js';
import { profileErrors, profileFaults } from './profile-requests.errors.js';
import { isAlreadyPending, ProfileRequestStore } from './profile-requests.store.js';
import { ProfileRequestEntity } from './tables.js';

/** Creates a request, or returns an identical pending one (reference/profile-requests#create). @throws AppError invalid */
export class CreateProfileRequestCommand extends Command<{ request: ProfileRequest; duplicate: boolean }> {
  constructor(
    readonly actor: Account,
    readonly content: ProfileContent,
  ) {
    super();
  }
}

/** The identical request may vanish before it is read, and another may come; repeated races are unlikely. */
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

/** Changes supplied fields of a pending request. @throws AppError not_found; invalid (not pending, or a field); conflict */
export class ChangeProfileRequestCommand extends Command<void> {
  constructor(
    readonly actor: Account,
    readonly requestId: number,
    readonly changes: RawProfile,
  ) {
    super();
  }
}

@CommandHandler(ChangeProfileRequestCommand)
export class ChangeProfileRequestHandler implements ICommandHandler<ChangeProfileRequestCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly store: ProfileRequestStore,
    private readonly audit: AuditLog,
  ) {}

  execute({ actor, requestId, changes }: ChangeProfileRequestCommand): Promise<void> {
    return inTransaction(this.dataSource, async (tx) => {
      const request = await this.store.locked(tx, requestId);
      if (request?.accountId !== actor.id) throw profileErrors.notFound();
      if (request.status !== 'pending') throw profileErrors.notUpdatable();
      const read = readProfileChanges(changes);
      if ('fault' in read) throw profileFaults[read.fault]();
      const content = { ...request, ...read.changes };
      await this.store.change(tx, request, content).catch((error: unknown) => {
        throw isAlreadyPending(error) ? profileErrors.equalsAnother(content.channel) : error;
      });
      const details = { fields: Object.keys(read.changes) };
      await this.audit.record(tx, { actor, action: 'profile_request.change', subject: String(requestId), details });
    });
  }
}

/** Staff process, complete or reject a request, with an audit entry. @throws AppError not_found; conflict */
export class ProcessProfileRequestCommand extends Command<void> {
  /** @param revision what staff have seen; null = not given, which a verdict on a changed request refuses */
  constructor(
    readonly actor: Account,
    readonly requestId: number,
    readonly status: ProcessingStatus,
    readonly revision: number | null,
    readonly reason: string | null,
  ) {
    super();
  }
}

@CommandHandler(ProcessProfileRequestCommand)
export class ProcessProfileRequestHandler implements ICommandHandler<ProcessProfileRequestCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly store: ProfileRequestStore,
    private readonly audit: AuditLog,
  ) {}

  execute({ actor, requestId, status, revision, reason }: ProcessProfileRequestCommand): Promise<void> {
    return inTransaction(this.dataSource, async (tx) => {
      const request = await this.store.locked(tx, requestId);
      if (!request) throw profileErrors.notFound();
      if (!mayProcess(request.status, status)) throw profileErrors.wrongState(request.status);
      if (revision !== null || isVerdict(status)) assertSeen(request.revision, revision);
      await this.store.process(tx, request, status, reason);
      const { verifiedName: verified_name, status: from } = request;
      const details = { verified_name, from, to: status, reason, revision: request.revision };
      await this.audit.record(tx, {
        actor,
        action: 'profile_request.process',
        subject: String(requestId),
        accountId: request.accountId,
        details,
      });
    });
  }
}

/** The owner deletes a pending request. @throws AppError not_found; invalid when not pending */
export class RemoveProfileRequestCommand extends Command<void> {
  constructor(
    readonly actor: Account,
    readonly requestId: number,
  ) {
    super();
  }
}

@CommandHandler(RemoveProfileRequestCommand)
export class RemoveProfileRequestHandler implements ICommandHandler<RemoveProfileRequestCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly store: ProfileRequestStore,
    private readonly audit: AuditLog,
  ) {}

  execute({ actor, requestId }: RemoveProfileRequestCommand): Promise<void> {
    return inTransaction(this.dataSource, async (tx) => {
      const request = await this.store.locked(tx, requestId);
      if (request?.accountId !== actor.id) throw profileErrors.notFound();
      if (request.status !== 'pending') throw profileErrors.notDeletable();
      await this.store.remove(tx, requestId);
      const details = { verified_name: request.verifiedName };
      await this.audit.record(tx, { actor, action: 'profile_request.remove', subject: String(requestId), details });
    });
  }
}
