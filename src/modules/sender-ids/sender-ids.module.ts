import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SenderIdEntity } from './persistence/sender-id.entity.js';
import { SenderIds } from './sender-ids.js';

/** Sender ids: what an account may send from. */
@Module({
  imports: [TypeOrmModule.forFeature([SenderIdEntity])],
  providers: [SenderIds],
  exports: [SenderIds],
})
export class SenderIdsModule {}
