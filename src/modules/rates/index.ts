export { MOST_CREDITS_A_SEGMENT, MOST_ROWS_A_PLAN, type Pricer, type Rate } from './domain/pricer.js';
export { type RatePlan, type RatePlanHead, RatePlans } from './persistence/rate-plans.js';
export { rateTables } from './persistence/table-rules.js';
export { rateErrors } from './rates.errors.js';
export { RatesModule } from './rates.module.js';
export { Rates } from './rates.js';
