import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { type Listed, type Page, shown } from '../../kernel/lists.js';
import type { Account } from '../accounts/index.js';
import { ENVIRONMENT } from '../../platform/config/index.js';
import { type Provable, provable, type ProofSettings } from './verification-request.js';
import { type VerificationText, VerificationTexts } from './verification-texts.store.js';
import { conversionData, type ConversionData, verificationData, type VerificationData } from './verifications.dto.js';
import { VerificationStore } from './verifications.store.js';

/** One of an account's verifications. @throws AppError not_found, also for another account's, and for a live one by a test key */
export class FindVerificationQuery extends Query<VerificationData> {
  constructor(
    readonly account: Account,
    readonly id: number,
  ) {
    super();
  }
}

@QueryHandler(FindVerificationQuery)
export class FindVerificationHandler implements IQueryHandler<FindVerificationQuery> {
  constructor(private readonly store: VerificationStore) {}

  async execute({ account, id }: FindVerificationQuery): Promise<VerificationData> {
    return verificationData(await this.store.of(account, id), account.timeZone);
  }
}

/** An account's verifications, newest first. */
export class ListVerificationsQuery extends Query<Listed<VerificationData>> {
  constructor(
    readonly account: Account,
    readonly isTest: boolean,
    readonly page: Page,
  ) {
    super();
  }
}

@QueryHandler(ListVerificationsQuery)
export class ListVerificationsHandler implements IQueryHandler<ListVerificationsQuery> {
  constructor(private readonly store: VerificationStore) {}

  async execute({ account, isTest, page }: ListVerificationsQuery): Promise<Listed<VerificationData>> {
    return shown(await this.store.part(account.id, isTest, page), (found) => verificationData(found, account.timeZone));
  }
}

/** How many verifications were started and approved, by day (UTC) and calling code. */
export class ConversionQuery extends Query<ConversionData[]> {
  constructor(
    readonly accountId: number,
    readonly from: string,
    readonly to: string,
  ) {
    super();
  }
}

@QueryHandler(ConversionQuery)
export class ConversionHandler implements IQueryHandler<ConversionQuery> {
  constructor(private readonly store: VerificationStore) {}

  async execute({ accountId, from, to }: ConversionQuery): Promise<ConversionData[]> {
    return (await this.store.conversion(accountId, from, to)).map(conversionData);
  }
}

/** The texts that verifications may name. */
export class ListVerificationTextsQuery extends Query<VerificationText[]> {}

@QueryHandler(ListVerificationTextsQuery)
export class ListVerificationTextsHandler implements IQueryHandler<ListVerificationTextsQuery> {
  constructor(private readonly texts: VerificationTexts) {}

  execute(): Promise<VerificationText[]> {
    return this.texts.all();
  }
}

/** Whether the account has to prove itself, and how it can. */
export class FindProofQuery extends Query<Provable> {
  constructor(readonly account: Account) {
    super();
  }
}

@QueryHandler(FindProofQuery)
export class FindProofHandler implements IQueryHandler<FindProofQuery> {
  constructor(@Inject(ENVIRONMENT) private readonly environment: ProofSettings) {}

  execute({ account }: FindProofQuery): Promise<Provable> {
    return Promise.resolve(provable(account, this.environment));
  }
}
