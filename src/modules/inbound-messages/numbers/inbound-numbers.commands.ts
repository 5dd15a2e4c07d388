import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inTransaction, isDuplicateKey } from '../../../platform/database/index.js';
import { type Account, AuditLog } from '../../accounts/index.js';
import { inboundErrors } from '../inbound-messages.errors.js';
import {
  type InboundNumber,
  InboundNumbers,
  KEYWORDS_PER_NUMBER,
  NUMBERS_PER_ACCOUNT,
} from './inbound-numbers.store.js';

/** Gives a number or short code of a route to an account, with an audit entry. @throws AppError conflict, invalid over the limits */
export class AddInboundNumberCommand extends Command<InboundNumber> {
  constructor(
    readonly actor: Account,
    readonly owner: Account,
    readonly wanted: Pick<InboundNumber, 'number' | 'routeId' | 'keyword'>,
  ) {
    super();
  }
}

@CommandHandler(AddInboundNumberCommand)
export class AddInboundNumberHandler implements ICommandHandler<AddInboundNumberCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly numbers: InboundNumbers,
    private readonly audit: AuditLog,
  ) {}

  async execute({ actor, owner, wanted }: AddInboundNumberCommand): Promise<InboundNumber> {
    try {
      return await inTransaction(this.dataSource, async (tx) => {
        const added = await this.numbers.add(tx, { ...wanted, accountId: owner.id });
        if (!added) throw inboundErrors.numberNotFound();
        const counts = await this.numbers.counts(tx, added);
        if (counts.account > NUMBERS_PER_ACCOUNT) throw inboundErrors.tooManyNumbers();
        if (counts.number > KEYWORDS_PER_NUMBER) throw inboundErrors.tooManyWords();
        const { id, number, keyword } = added;
        const entry = { action: 'inbound_number.add', subject: owner.username, details: { id, number, keyword } };
        await this.audit.record(tx, { actor, accountId: owner.id, ...entry });
        return added;
      });
    } catch (error) {
      if (isDuplicateKey(error)) throw inboundErrors.numberTaken();
      throw error;
    }
  }
}

/** Takes a number from its account, with an audit entry. @throws AppError not_found */
export class RemoveInboundNumberCommand extends Command<void> {
  constructor(
    readonly actor: Account,
    readonly id: number,
  ) {
    super();
  }
}

@CommandHandler(RemoveInboundNumberCommand)
export class RemoveInboundNumberHandler implements ICommandHandler<RemoveInboundNumberCommand> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    private readonly numbers: InboundNumbers,
    private readonly audit: AuditLog,
  ) {}

  execute({ actor, id }: RemoveInboundNumberCommand): Promise<void> {
    return inTransaction(this.dataSource, async (tx) => {
      const found = await this.numbers.find(tx, id);
      if (!found || !(await this.numbers.remove(tx, id))) throw inboundErrors.numberNotFound();
      const { number, keyword, accountId } = found;
      const entry = { action: 'inbound_number.remove', subject: String(id), details: { number, keyword } };
      await this.audit.record(tx, { actor, accountId, ...entry });
    });
  }
}
