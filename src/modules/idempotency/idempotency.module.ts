import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Idempotency } from './idempotency.js';
import { IdempotencyKeyEntity } from './persistence/idempotency-key.entity.js';
import { IdempotencyKeys } from './persistence/idempotency-keys.js';

/** `Idempotency-Key` for the modules that send. */
@Module({
  imports: [TypeOrmModule.forFeature([IdempotencyKeyEntity])],
  providers: [Idempotency, IdempotencyKeys],
  exports: [Idempotency, IdempotencyKeys],
})
export class IdempotencyModule {}
