import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { RatePlanEntity, RatePlanRowEntity } from './tables.js';
import { RatePlans } from './rates.store.js';
import { Rates } from './rates.js';

/** Rate plans. Has no HTTP of its own: staff write plans through the admin API, and sends ask for prices. */
@Module({
  imports: [TypeOrmModule.forFeature([RatePlanEntity, RatePlanRowEntity])],
  providers: [Rates, RatePlans],
  exports: [Rates, RatePlans],
})
export class RatesModule {}
