import { Inject } from '@nestjs/common';
import { type IQueryHandler, Query, QueryHandler } from '@nestjs/cqrs';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { ENVIRONMENT, type Environment } from '../../../platform/config/index.js';
import { storedBytes } from '../../quotas/index.js';

/** Bytes that an account stores, and may store. */
export interface Storage {
  bytes: number;
  limit: number;
}

/** How much an account stores (reference/accounts#quotas). */
export class GetStorageQuery extends Query<Storage> {
  constructor(readonly accountId: number) {
    super();
  }
}

@QueryHandler(GetStorageQuery)
export class GetStorageHandler implements IQueryHandler<GetStorageQuery> {
  constructor(
    @InjectDataSource() private readonly dataSource: DataSource,
    @Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'STORAGE_PER_ACCOUNT'>,
  ) {}

  async execute({ accountId }: GetStorageQuery): Promise<Storage> {
    return { bytes: await storedBytes(this.dataSource, accountId), limit: this.environment.STORAGE_PER_ACCOUNT };
  }
}
