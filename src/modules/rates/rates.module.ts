import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { RatePlanEntity, RatePlanRowEntity } from './tables.js';
import { RatePlans } from './rates.store.js';
import { Rates } from './rates.js';

@Module({
  imports: [TypeOrmModule.forFeature([RatePlanEntity, RatePlanRowEntity])],
  providers: [Rates, RatePlans],
  exports: [Rates, RatePlans],
})
export class RatesModule {}
