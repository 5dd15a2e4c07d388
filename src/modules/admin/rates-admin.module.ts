import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AccountsModule } from '../accounts/index.js';
import { RatesModule } from '../rates/index.js';
import { PutRatePlanHandler } from './commands/put-rate-plan.command.js';
import { RemoveRatePlanHandler } from './commands/remove-rate-plan.command.js';
import { RatesController } from './http/rates.controller.js';
import { FindRatePlanHandler } from './queries/find-rate-plan.query.js';
import { ListRatePlansHandler } from './queries/list-rate-plans.query.js';

/** The admin API's part for rate plans. */
@Module({
  imports: [CqrsModule, AccountsModule, RatesModule],
  controllers: [RatesController],
  providers: [PutRatePlanHandler, RemoveRatePlanHandler, FindRatePlanHandler, ListRatePlansHandler],
})
export class RatesAdminModule {}
