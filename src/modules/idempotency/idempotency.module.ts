import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Idempotency } from './idempotency.js';
import { IdempotencyKeyEntity } from './tables.js';
import { IdempotencyKeys } from './idempotency.store.js';

@Module({
  imports: [TypeOrmModule.forFeature([IdempotencyKeyEntity])],
  providers: [Idempotency, IdempotencyKeys],
  exports: [Idempotency, IdempotencyKeys],
})
export class IdempotencyModule {}
