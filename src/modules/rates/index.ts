export type { Pricer } from './domain/pricer.js';
export { rateTables } from './persistence/table-rules.js';
export { Rates } from './rates.js';
export { RatesModule } from './rates.module.js';
