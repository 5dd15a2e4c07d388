import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AccountsModule } from '../accounts/index.js';
import { HoldingsController } from './http/holdings.controller.js';
import { FindHoldingsHandler } from './queries/find-holdings.query.js';

/** A cell's side of the front: what it has. */
@Module({
  imports: [CqrsModule, AccountsModule],
  controllers: [HoldingsController],
  providers: [FindHoldingsHandler],
})
export class CellsModule {}
