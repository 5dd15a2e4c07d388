import { Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { AccountsModule } from '../accounts/index.js';
import { RatesModule } from '../rates/index.js';
import { PutRatePlanHandler, RemoveRatePlanHandler } from './rate-plans.commands.js';
import { FindRatePlanHandler, ListRatePlansHandler } from './rate-plans.queries.js';
import { RatesController } from './staff-rate-plans.controller.js';

@Module({
  imports: [CqrsModule, AccountsModule, RatesModule],
  controllers: [RatesController],
  providers: [PutRatePlanHandler, RemoveRatePlanHandler, FindRatePlanHandler, ListRatePlansHandler],
})
export class RatesAdminModule {}
