export { RatesAdminModule } from './rate-plans.module.js';
