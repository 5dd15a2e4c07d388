import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction } from '../../../platform/database/index.js';
import type { ProfileRequest } from '../domain/profile-request.js';
import { isAlreadyPending, ProfileRequestStore } from '../persistence/profile-request-store.js';
import { CreateProfileRequestCommand } from './create-profile-request.command.js';

/** The twin may be gone before it is read, and another may come: nobody loses this race many times in a row. */
const MOST_TRIES = 10;

@CommandHandler(CreateProfileRequestCommand)
export class CreateProfileRequestHandler implements ICommandHandler<CreateProfileRequestCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly store: ProfileRequestStore,
  ) {}

  async execute({
    accountId,
    content,
  }: CreateProfileRequestCommand): Promise<{ request: ProfileRequest; duplicate: boolean }> {
    for (let tries = 1; ; tries++) {
      try {
        const request = await inTransaction(this.dataSource, (tx) => this.store.create(tx, accountId, content));
        return { request, duplicate: false };
      } catch (error) {
        if (!isAlreadyPending(error)) throw error;
        const request = await this.store.pending(accountId, content);
        if (request) return { request, duplicate: true };
        if (tries === MOST_TRIES) throw error;
      }
    }
  }
}
