export { MOST_CREDITS_A_SEGMENT, MOST_ROWS_A_PLAN, type Pricer, type Rate, Rates } from './rates.js';
export { RatePlans } from './rates.store.js';
export { rateTables } from './tables.js';
export { rateErrors } from './rates.errors.js';
export { RatesModule } from './rates.module.js';
